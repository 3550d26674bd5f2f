import { Injectable } from '@nestjs/common';
import { isUuid } from '../../domain/text.js';
import { AHEAD } from '../../platform/database/clock.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { TokenLookUps, type TokenSender } from '../../platform/http/limits/token-look-ups.js';
import { problem } from '../../platform/http/problem.js';
import { digestOf, isCheckedToken } from '../../platform/secrets/token.js';
import { Log } from '../../platform/telemetry/log.js';
import { MOST_OFFERS, NEEDS_PAPER, OFFER_LASTS } from './day.sql.js';
import { PrintTurns } from './print-turns.js';
import { TOKEN_PREFIX } from './printers.service.js';
import { readTicket, type TicketWidth, ticketText } from './rules/ticket.js';

interface PrinterRow {
  readonly id: string;
  readonly restaurantId: string;
  readonly width: TicketWidth;
}

/** A printer that polls. */
interface PollingRow extends PrinterRow {
  /** the founder of its restaurant (O44), else the restaurant */
  readonly party: string;
}

/** The client of a printer's request: its token is all that it sends. */
type PrinterSender = Required<TokenSender>;

/** What a printer says of itself when it polls. */
export interface Poll {
  /** its status, such as `200 OK`; null: it said none */
  readonly status: string | null;
  /** false: it prints, or cannot print */
  readonly mayPrint: boolean;
}

/**
 * Finds the printer with token digest $1 and notes its poll and status ($2), at most every 10 s, or every 3 s when the status changes (K9,
 * L170): a printer polls every few seconds, and may say another status each time.
 */
const POLLED = preparedStatement(
  'printer_polled',
  `WITH printer AS (SELECT id, restaurant_id, width FROM printers WHERE token_hash = $1),
   noted AS (
     UPDATE printers SET last_poll_at = now(), status = coalesce($2, printers.status) FROM printer
     WHERE printers.id = printer.id AND (printers.last_poll_at IS NULL OR printers.last_poll_at NOT BETWEEN now() - interval '10 seconds' AND ${AHEAD}
       OR (printers.status IS DISTINCT FROM coalesce($2, printers.status)
         AND printers.last_poll_at NOT BETWEEN now() - interval '3 seconds' AND ${AHEAD})))
   SELECT printer.id::text, restaurant_id::text AS "restaurantId", width, coalesce(founded_by, restaurants.id)::text AS party
   FROM printer JOIN restaurants ON restaurants.id = restaurant_id`,
);

const FIND_PRINTER = preparedStatement(
  'printer',
  'SELECT id::text, restaurant_id::text AS "restaurantId", width FROM printers WHERE token_hash = $1',
);

/**
 * Offers the oldest ticket of restaurant $2 to printer $1, one at a time. A ticket whose last offer was not answered may have been printed: it
 * is a possible repeat. A download that timed out leaves no offered_at, and was not printed.
 */
const OFFER = preparedStatement(
  'ticket_offer',
  `UPDATE tickets SET state = 'OFFERED', printer_id = $1::uuid, is_repeat = is_repeat OR offered_at IS NOT NULL,
                      offered_at = now(), offers = offers + 1
   WHERE id = (
     SELECT ticket.id FROM tickets ticket
     JOIN restaurants restaurant ON restaurant.id = ticket.restaurant_id
     JOIN outbox_jobs job ON job.id = ticket.job_id
     WHERE ticket.restaurant_id = $2::uuid AND ticket.offers < ${MOST_OFFERS}
       AND (ticket.state = 'WAITING' OR (ticket.state = 'OFFERED' AND ticket.offered_at NOT BETWEEN now() - ${OFFER_LASTS} AND ${AHEAD}))
       AND ${NEEDS_PAPER}
       AND NOT EXISTS (SELECT 1 FROM tickets open WHERE open.restaurant_id = $2::uuid AND open.printer_id = $1::uuid
                         AND open.state = 'OFFERED' AND open.offered_at BETWEEN now() - ${OFFER_LASTS} AND ${AHEAD})
     ORDER BY job.created_at, job.id LIMIT 1 FOR UPDATE OF ticket SKIP LOCKED)
   RETURNING id::text`,
);

/** The ticket $2 that printer $1 was offered; null: the last one. */
const OFFERED = `printer_id = $1::uuid AND state = 'OFFERED' AND ($2::uuid IS NULL OR tickets.id = $2::uuid)
   ORDER BY offered_at DESC LIMIT 1`;

const READ_OFFERED = preparedStatement(
  'ticket_read',
  `SELECT event.payload, event.received_at AS "receivedAt", ticket.is_repeat AS "isRepeat", restaurant.timezone
   FROM (SELECT job_id, is_repeat FROM tickets WHERE ${OFFERED}) AS ticket
   JOIN outbox_jobs job ON job.id = ticket.job_id
   JOIN terminal_events event ON event.transaction_key = job.event_key AND event.restaurant_id = job.restaurant_id
   JOIN restaurants restaurant ON restaurant.id = job.restaurant_id`,
);

/** Ends the offer with state $3; $4: why it failed. */
const ANSWERED = preparedStatement(
  'ticket_answered',
  `UPDATE tickets SET state = $3::ticket_state, failure = $4,
                      printed_at = CASE WHEN $3 = 'PRINTED' THEN now() END,
                      offered_at = CASE WHEN $3 = 'WAITING' THEN NULL ELSE offered_at END
   WHERE id = (SELECT id FROM tickets WHERE ${OFFERED} FOR UPDATE)
   RETURNING id::text, job_id::text AS job, restaurant_id::text AS "restaurantId", printer_id::text AS printer, is_repeat AS "isRepeat"`,
);

/** What a printer's answer makes of its ticket. */
type Answer = readonly [state: 'PRINTED' | 'WAITING' | 'FAILED', failure: string | null];

const OF_NO_TICKET = '00000000-0000-0000-0000-000000000000';

/** Tells printers what to print, and notes what they printed (K4, K5). */
@Injectable()
export class PrintService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly turns: PrintTurns,
    private readonly lookUps: TokenLookUps,
    private readonly log: Log,
  ) {}

  /**
   * Notes a poll, and offers a ticket.
   * @returns the id of the ticket, undefined: there is none to print now; and whose printer it is, the founder (O44) or the restaurant
   * @throws 404 when no printer has this token; 503 TOO_MANY_AT_ONCE (K11); ClientGoneError
   */
  poll(
    token: string,
    { status, mayPrint }: Poll,
    sender: PrinterSender,
  ): Promise<{ readonly ticket: string | undefined; readonly party: string }> {
    const noted = (digest: string) => this.prisma.prepared<PollingRow>(POLLED, [digest, status]);
    return this.inTurn(token, sender, noted, async ({ id, restaurantId, party }) => {
      if (!mayPrint) return { ticket: undefined, party };
      const [ticket] = await this.prisma.prepared<{ id: string }>(OFFER, [id, restaurantId]);
      return { ticket: ticket?.id, party };
    });
  }

  /**
   * The text of the ticket that is on offer. Changes nothing.
   * @param ticketId the token that the printer sent; undefined: the ticket that was offered last
   * @throws 404 when no printer has this token, or no ticket is on offer; as {@link poll}
   */
  read(token: string, ticketId: string | undefined, sender: PrinterSender): Promise<string> {
    return this.inTurn(token, sender, this.printerOf, async (printer) => {
      const [offered] = await this.prisma.prepared<{
        payload: Record<string, unknown>;
        receivedAt: Date;
        isRepeat: boolean;
        timezone: string;
      }>(READ_OFFERED, [printer.id, idOf(ticketId)]);
      if (!offered) throw problem('NOT_FOUND', 'there is nothing to print');
      const { payload, receivedAt, isRepeat, timezone } = offered;
      return ticketText(readTicket(payload, receivedAt), { width: printer.width, timezone, isRepeat });
    });
  }

  /**
   * Notes the end of a print. Without a readable code the offer stays, and ends after its time.
   * @param code as the printer sent it, such as `200 OK`
   * @throws 404 when no printer has this token; as {@link poll}
   */
  async end(
    token: string,
    code: string | undefined,
    ticketId: string | undefined,
    sender: PrinterSender,
  ): Promise<void> {
    const answer = answerOf(code);
    const [state, failure] = answer ?? [];
    const [ended] = await this.inTurn(token, sender, this.printerOf, async (printer) =>
      answer ? this.prisma.prepared(ANSWERED, [printer.id, idOf(ticketId), state, failure]) : [],
    );
    if (!ended) return;
    const line = { event: 'ticket.ended', ticket: ended, state, failure };
    if (state === 'FAILED') this.log.warn(line);
    else this.log.info(line);
  }

  private readonly printerOf = (digest: string) => this.prisma.prepared<PrinterRow>(FIND_PRINTER, [digest]);

  /**
   * Does work for a printer when it is its turn (K11). A text that cannot be a token costs no query; a token that this instance does not know is
   * looked up when it is the turn of a stranger (K3, A39).
   * @throws 404; as {@link poll}
   */
  private async inTurn<T, Row extends PrinterRow>(
    token: string,
    sender: PrinterSender,
    read: (digest: string) => Promise<Row[]>,
    work: (printer: Row) => Promise<T>,
  ): Promise<T> {
    if (!isCheckedToken(TOKEN_PREFIX, token)) throw noSuchPrinter();
    const digest = digestOf(token);
    const restaurantId = this.turns.restaurantOf(digest) ?? (await this.learn(digest, sender));
    return this.turns.run({ digest, restaurantId }, sender.gone, async () => {
      const [printer] = await read(digest);
      if (printer) return work(printer);
      this.turns.forget(digest);
      throw noSuchPrinter();
    });
  }

  /** @returns the id of the restaurant. @throws 404; 503 TOO_MANY_AT_ONCE; ClientGoneError */
  private async learn(digest: string, sender: PrinterSender): Promise<string> {
    const [printer] = await this.lookUps.run(sender, () => this.printerOf(digest));
    if (!printer) throw noSuchPrinter();
    this.turns.learn(digest, printer.restaurantId);
    return printer.restaurantId;
  }
}

function noSuchPrinter() {
  return problem('NOT_FOUND', 'there is no such printer');
}

/** @returns null: the last one. A token that the relay never gave is that of no ticket (K5) */
function idOf(ticketId: string | undefined): string | null {
  if (ticketId === undefined) return null;
  return isUuid(ticketId) ? ticketId : OF_NO_TICKET;
}

/** The first number of a printer's code (K5). */
function answerOf(code = ''): Answer | undefined {
  const number = Number(/^\s*(\d{3})(?!\d)/.exec(code)?.[1] ?? Number.NaN);
  if (Number.isNaN(number)) return undefined;
  if (number >= 200 && number < 300) return ['PRINTED', null];
  if (number === 520) return ['WAITING', null];
  if (number === 410) return ['FAILED', 'paper'];
  if (number === 420) return ['FAILED', 'cover'];
  return ['FAILED', `code ${number}`];
}
