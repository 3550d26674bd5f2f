import { Injectable } from '@nestjs/common';
import { PrismaService } from '../../../platform/database/prisma.service.js';
import { FileThreads } from '../reading/file-threads.js';
import type { EarlierRow } from '../rules/row-identity.js';
import type { FileDays } from '../rules/terminal-file.js';
import type { Compared, Judged, NewInput } from './compare-file.js';
import { isCounted } from './counted.sql.js';
import { DecisionsReader } from './decisions-reader.js';
import type { Answered, Questions } from './file-questions.js';
import { OpenRows } from './open-rows.js';
import type { Proposed, TrialInput } from './propose-mapping.js';
import { type ComparedFile, type FreeRows, SalesReader } from './sales-reader.js';

/** Compares rows with the sales, in a thread (J9 to J11, J17). It writes nothing. */
@Injectable()
export class Comparison {
  constructor(
    private readonly prisma: PrismaService,
    private readonly reader: SalesReader,
    private readonly open: OpenRows,
    private readonly decisions: DecisionsReader,
    private readonly threads: FileThreads,
  ) {}

  /**
   * Compares the rows of a file that is confirmed now, or read again.
   * @param chosen the days that it covers, by those of its sales; null: it has none
   * @param answered takes the answers; what it throws ends the comparison
   * @throws 422 FILE_REFUSED when there are too many sales; what `chosen` and `answered` throw; the reason of `gone`; the database's error
   */
  compareNew(
    file: Omit<ComparedFile, 'days'>,
    input: NewInput,
    chosen: (own: FileDays | null) => FileDays,
    answered: Answered,
    gone: AbortSignal,
  ): Promise<Compared> {
    return this.threads.run('compareNew', input, gone, { ...answered, ...this.questionsOf(file, chosen) });
  }

  /** What a confirmation would say of a file (J21). @throws the reason of `gone`; the database's error */
  judge(file: Omit<ComparedFile, 'days'>, input: NewInput, gone: AbortSignal): Promise<Judged | null> {
    // of a file without a day nothing is asked further
    const questions = this.questionsOf(file, (own) => own ?? { from: '', to: '' });
    return this.threads.run('judge', input, gone, questions);
  }

  /** Tries a mapping, and others, against the sales (J5). @throws as {@link compareNew} */
  propose(file: Omit<ComparedFile, 'days'>, input: TrialInput, gone: AbortSignal): Promise<Proposed> {
    let days: FileDays = { from: '', to: '' };
    const tried: Questions['days'] = async (own) => {
      days = own ?? days;
      return days;
    };
    return this.threads.run('propose', input, gone, { days: tried, ...this.salesOf(file, () => days, 'all') });
  }

  /** Compares the rows of a confirmed file that have no sale yet. @throws as {@link compareNew} */
  compareAgain(file: ComparedFile, answered: Answered, gone: AbortSignal): Promise<Compared> {
    const lines: number[] = [];
    const openRows: Questions['openRows'] = async (after) => {
      const page = await this.open.page(file, after);
      lines.push(...page.items.map(({ line }) => line));
      return page;
    };
    const answers: Pick<Questions, 'openRows' | 'decisions' | 'earlier'> = {
      openRows,
      decisions: () => this.decisions.kept(file, { own: false }),
      earlier: (identities) => this.earlier(file, identities),
    };
    const sales = this.salesOf(file, () => file.days, lines);
    return this.threads.run('compareAgain', { days: file.days }, gone, { ...answers, ...answered, ...sales });
  }

  /** What is asked when all rows of a file are compared. @param chosen as for {@link compareNew} */
  private questionsOf(file: Omit<ComparedFile, 'days'>, chosen: (own: FileDays | null) => FileDays) {
    let days: FileDays = { from: '', to: '' };
    const answers: Pick<Questions, 'days' | 'decisions' | 'earlier'> = {
      days: async (own) => {
        days = chosen(own);
        return days;
      },
      decisions: () => this.decisions.kept(file, { own: true }),
      earlier: (identities) => this.earlier(file, identities),
    };
    return { ...answers, ...this.salesOf(file, () => days, 'all') };
  }

  /** @param free the rows of the file whose sale is free: those that are compared */
  private salesOf(file: Omit<ComparedFile, 'days'>, days: () => FileDays, free: FreeRows) {
    const compared = (): ComparedFile => ({ ...file, days: days() });
    const pages = { evidence: this.reader.payloadPages(), texts: this.reader.payloadPages() };
    const answers: Pick<Questions, 'sales' | 'salesByKey' | 'evidence' | 'texts'> = {
      sales: (after) => this.reader.sales(compared(), free, after),
      salesByKey: (keys) => this.reader.byKey(compared(), free, keys),
      evidence: (keys) => this.reader.evidence(compared(), keys, pages.evidence),
      texts: (keys, texts) => this.reader.texts(compared(), keys, texts, pages.texts),
    };
    return answers;
  }

  private async earlier(
    { restaurantId, fileId }: Omit<ComparedFile, 'days'>,
    identities: readonly string[],
  ): Promise<[string, EarlierRow][]> {
    const found = await this.prisma.reports.$queryRaw<({ identity: string } & Required<EarlierRow>)[]>`
      SELECT identity, min(file_id::text) AS "fileId", min(cents) AS cents, count(*)::int AS count FROM terminal_file_rows earlier
      WHERE restaurant_id = ${restaurantId}::uuid AND identity = ANY (${[...identities]}::text[])
        AND file_id <> ${fileId}::uuid AND answer NOT IN ('DUPLICATE', 'REPEATED', 'OUTSIDE_DAY', 'UNREADABLE')
        AND ${isCounted('earlier')}
      GROUP BY identity`;
    return found.map(({ identity, ...row }) => [identity, row]);
  }
}
