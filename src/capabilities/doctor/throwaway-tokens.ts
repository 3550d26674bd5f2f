import { NO_TOKEN, type Unanswered } from '../../domain/outcome.js';
import { tokenContext } from '../../platform/secrets/contexts.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { noToken, type PosSignIn } from '../../pos/sign-in.js';
import type { PosTarget } from '../../pos/target.js';
import { type PosToken, type TokenResult, tokenId } from '../../pos/tokens.js';
import type { Queries } from './connection.js';

/** The generation of a stored token. A token that the command gets by a sign-in has the next generation. */
const STORED = 0;

/**
 * The POS tokens of the command (R13). A valid stored token is used if there is one. Otherwise the command signs in once for each pair
 * of address and credentials. It does not store the new token, because the command changes nothing.
 */
export class ThrowawayTokens {
  private readonly results = new Map<string, Promise<TokenResult | 'no time'>>();
  private stored: Promise<ReadonlyMap<string, string>> | undefined;

  /**
   * @param unreachable the failed calls by base URL: at these URLs no sign-in is tried
   * @param endsAt in ms of performance.now(): no sign-in begins after this time
   */
  constructor(
    private readonly posSignIn: PosSignIn,
    private readonly box: SecretBox,
    private readonly database: Queries | undefined,
    private readonly unreachable: ReadonlyMap<string, Unanswered>,
    private readonly endsAt: number,
  ) {}

  /** As `PosTokens.check`. `no time`: there was no time left for a sign-in. */
  async check(target: PosTarget) {
    const result = await this.tokenOf(target);
    if (result === 'no time' || 'refused' in result) return result;
    return result.generation === STORED ? 'in use' : 'granted';
  }

  /** As `PosTokens.get`. If a stored token has failed, the command signs in. */
  async get(target: PosTarget, failed?: PosToken): Promise<TokenResult> {
    if (failed?.generation === STORED) this.results.set(tokenId(this.box, target), this.signIn(target, [failed.token]));
    const result = await this.tokenOf(target);
    return result === 'no time' ? { refused: noToken(NO_TOKEN, 'no time was left for a sign-in') } : result;
  }

  private tokenOf(target: PosTarget): Promise<TokenResult | 'no time'> {
    const id = tokenId(this.box, target);
    const result = this.results.get(id) ?? this.obtain(id, target);
    this.results.set(id, result);
    return result;
  }

  private async obtain(id: string, target: PosTarget): Promise<TokenResult | 'no time'> {
    this.stored ??= this.readStored();
    const sealed = (await this.stored).get(id);
    const token = sealed && this.box.open(sealed, tokenContext(id));
    if (token) return { token, generation: STORED };
    const refused = this.unreachable.get(target.baseUrl);
    if (refused) return { refused };
    return performance.now() > this.endsAt ? 'no time' : this.signIn(target, []);
  }

  private async signIn(target: PosTarget, former: readonly string[]): Promise<TokenResult> {
    const result = await this.posSignIn.signIn(target, former);
    return 'granted' in result ? { token: result.granted.token, generation: STORED + 1 } : result;
  }

  /** The stored tokens that have not expired, encrypted, by id. */
  private async readStored(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.database?.query<{ id: string; token: string }>(
      'SELECT id, token FROM pos_tokens WHERE token IS NOT NULL AND expires_at > now()',
    );
    return new Map(rows?.map(({ id, token }) => [id, token]));
  }
}
