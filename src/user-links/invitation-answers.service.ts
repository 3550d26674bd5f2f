import { Injectable } from '@nestjs/common';
import { AuthService } from '../auth/auth.service.js';
import type { PasswordSender } from '../auth/password-queue.js';
import { refuseGuessable } from '../auth/passwords.js';
import type { Actor } from '../platform/audit/actions.js';
import { AuditTrail } from '../platform/audit/audit-trail.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { TokenLookUps } from '../platform/http/limits/token-look-ups.js';
import { problem } from '../platform/http/problem.js';
import { digestOf } from '../platform/secrets/token.js';
import { LINK_CODES } from './error-codes.js';
import { inviterOf, mayStillInvite, WITH_INVITER } from './invitation.js';
import type { InvitationAcceptedView, InvitationOfferView, JoinDto } from './invitations.dto.js';
import { type Client, lockRestaurant } from './links.js';
import { alreadyLinked } from './refusals.js';
import { USER_LINKED } from './user-links.service.js';

type Accepted = InvitationAcceptedView['data'];

export const HAS_ACCOUNT_TEXT = 'there is an account with the email of this invitation: sign in with it, then accept';

/** Reads and accepts invitations by token; only the account of the invitation's email may accept (A29). */
@Injectable()
export class InvitationAnswersService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly auth: AuthService,
    private readonly audit: AuditTrail,
    private readonly lookUps: TokenLookUps,
  ) {}

  /**
   * @param jwt of the caller, if there is one. Only the account of the invitation's email learns that it exists: the inviter holds the
   *   token too (A36)
   * @throws 404 INVITATION_NOT_FOUND; 503 TOO_MANY_AT_ONCE (A39)
   */
  async read(
    token: string,
    jwt: { readonly text: string | undefined; readonly bySession: boolean },
    sender: PasswordSender,
  ): Promise<InvitationOfferView> {
    const { email, role, expiresAt, restaurant } = await this.find(token, sender);
    const claims = jwt.text === undefined ? undefined : await this.auth.claimsOf(jwt.text);
    const caller = claims && (await this.auth.userOfClaims(claims, jwt.bySession));
    const hasAccount = caller?.email === email ? true : null;
    return { restaurantName: restaurant.name, email, role, hasAccount, expiresAt };
  }

  /** As the function of this name, when it is the turn of the sender: anybody may ask, with any token. */
  private find(token: string, sender: PasswordSender): ReturnType<typeof find> {
    return this.lookUps.run(sender, () => find(this.prisma, token));
  }

  /** Links the caller. @throws 400 ALREADY_LINKED, 403 OTHER_EMAIL, 404 INVITATION_NOT_FOUND */
  accept(caller: Actor, token: string): Promise<Accepted> {
    return this.prisma.$transaction((tx) =>
      this.take(tx, token, async ({ email }) => {
        if (email !== caller.email)
          throw problem(LINK_CODES.OTHER_EMAIL, 'this invitation is for the account of another email');
        return { actor: caller, origin: 'ADDED' };
      }),
    );
  }

  /**
   * Creates an account with the email of the invitation, and links the account. The password of an existing account is never changed.
   * @throws 404 INVITATION_NOT_FOUND, 422 GUESSABLE_PASSWORD (A33), 409 ACCOUNT_EXISTS, in this order; 429 TOO_MANY_REQUESTS (A9),
   *   503 TOO_MANY_PASSWORD_CHECKS (A7) or TOO_MANY_AT_ONCE (A39); ClientGoneError
   */
  async join({ token, password, name }: JoinDto, sender: PasswordSender): Promise<Accepted> {
    // the invitation is read before the password is hashed, so that a wrong token costs only one look-up
    const { email } = await this.find(token, sender);
    // before the account is looked for, so that a password that is refused anyway does not tell whether there is one
    refuseGuessable({ email, password });
    if ((await this.prisma.user.count({ where: { email } })) > 0) throw hasAccount();
    const passwordHash = await this.auth.hashNew(email, password, sender);
    return this.prisma.$transaction((tx) =>
      this.take(tx, token, async ({ createdBy }) => {
        const data = [{ email, passwordHash, name, createdBy }];
        const { count } = await tx.user.createMany({ data, skipDuplicates: true });
        if (count === 0) throw hasAccount();
        const { id: userId } = await tx.user.findUniqueOrThrow({ where: { email }, select: { id: true } });
        return { actor: { userId, email, requestId: sender.requestId ?? null }, origin: 'ACCOUNT' };
      }),
    );
  }

  /** Deletes the invitation and creates the link. @param holderOf returns the accepting user, and the origin of the link */
  private async take(
    tx: Client,
    token: string,
    holderOf: (invitation: {
      readonly email: string;
      readonly createdBy: string;
    }) => Promise<{ readonly actor: Actor; readonly origin: 'ADDED' | 'ACCOUNT' }>,
  ): Promise<Accepted> {
    const { restaurantId } = await find(tx, token);
    await lockRestaurant(tx, restaurantId);
    // read again: the invitation may have been revoked or accepted during the wait for the lock
    const invitation = await find(tx, token);
    const { id, email, role, inviter } = invitation;
    const { actor, origin } = await holderOf({ email, createdBy: inviter.userId });
    await tx.invitation.delete({ where: { id } });
    const { count } = await tx.userRestaurant.createMany({
      data: [{ restaurantId, userId: actor.userId, role, origin, acceptedAt: new Date() }],
      skipDuplicates: true,
    });
    if (count === 0) throw alreadyLinked();
    const details = { role, newAccount: origin === 'ACCOUNT', invitedBy: inviterOf(invitation) };
    await this.audit.record(tx, actor, { action: USER_LINKED, restaurantId, target: email, details });
    return { restaurantId, role, accepted: true };
  }
}

/** @throws 404 INVITATION_NOT_FOUND, the same for an unknown token and for an invitation that was used, was revoked or has ended */
async function find(client: Client, token: string) {
  const found = await client.invitation.findUnique({
    where: { tokenHash: digestOf(token) },
    include: { ...WITH_INVITER, restaurant: { select: { name: true, deletedAt: true } } },
  });
  if (found && found.expiresAt > new Date() && !found.restaurant.deletedAt && mayStillInvite(found)) return found;
  throw problem(
    LINK_CODES.INVITATION_NOT_FOUND,
    'token: there is no such invitation, or it has ended; ask for a new one',
  );
}

function hasAccount() {
  return problem(LINK_CODES.ACCOUNT_EXISTS, HAS_ACCOUNT_TEXT);
}
