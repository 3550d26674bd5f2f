import { Injectable } from '@nestjs/common';
import { Log } from '../telemetry/log.js';
import { SecretBox } from './secret-box.js';

/** A value of a column that is encrypted. */
export interface SealedValue {
  readonly sealed: string;
  readonly context: string;
  /** @returns `count` 0: a concurrent request has replaced the value */
  readonly replace: (resealed: string) => Promise<{ readonly count: number }>;
}

/** A column whose values are encrypted with SECRETS_KEY (S14). */
export interface SealedColumn {
  /** begins the names of its log lines: `<group>.secrets_rotated` and `<group>.secrets_lost` have the numbers of all columns of a group */
  readonly group: string;
  /** what is to do when no key decrypts a value */
  readonly whenLost: string;
  readonly values: () => Promise<readonly SealedValue[]>;
}

interface Group {
  rotated: number;
  lost: number;
  readonly whenLost: Set<string>;
}

/**
 * The columns that are encrypted. Modules add theirs. At the start of a process, values that SECRETS_KEY_PREVIOUS encrypted are encrypted with
 * SECRETS_KEY, so that the previous key can be removed from the configuration (S14).
 */
@Injectable()
export class SealedColumns {
  private readonly added: SealedColumn[] = [];

  constructor(
    private readonly box: SecretBox,
    private readonly log: Log,
  ) {}

  add(...columns: readonly SealedColumn[]): void {
    this.added.push(...columns);
  }

  /** @throws the database's error */
  async rotate(): Promise<void> {
    const groups = new Map<string, Group>();
    for (const { group: name, whenLost, values } of this.added) {
      const group = groups.get(name) ?? { rotated: 0, lost: 0, whenLost: new Set() };
      groups.set(name, group);
      for (const value of await values()) await this.reseal(value, group);
      if (group.lost > 0) group.whenLost.add(whenLost);
    }
    for (const [name, { rotated, lost, whenLost }] of groups) {
      if (rotated > 0) this.log.info({ event: `${name}.secrets_rotated`, rotated, lost });
      if (lost > 0)
        this.log.error(
          { event: `${name}.secrets_lost`, rotated, lost },
          `no key decrypts these: ${[...whenLost].join(', ')}`,
        );
    }
  }

  private async reseal({ sealed, context, replace }: SealedValue, group: Group): Promise<void> {
    if (this.box.isCurrent(sealed)) return;
    const secret = this.box.open(sealed, context);
    if (secret === undefined) group.lost++;
    else group.rotated += (await replace(this.box.seal(secret, context))).count;
  }
}
