import { TicketRounds } from '../../../src/capabilities/tickets/rounds.js';
import { PrinterSimulator } from '../../../tools/simulator/printer.js';
import type { TestRelay } from '../../support/relay.js';
import type { Scenario } from '../../support/scenario.js';

/** A printer of the tests, and its address on this relay. */
export interface Printing {
  readonly id: string;
  readonly printer: PrinterSimulator;
}

/** Adds a printer to the restaurant. @param sendsToken see PrinterSimulator */
export async function addPrinter(
  scenario: Scenario,
  restaurant: { readonly id: string; readonly token: string },
  { name = 'Kitchen', sendsToken = true } = {},
): Promise<Printing> {
  const path = `/restaurants/${restaurant.id}/printers`;
  const { data } = (await scenario.api.post(path, restaurant.token, { name }).expect(201)).body;
  return { id: data.id, printer: new PrinterSimulator(scenario.relay.url + data.address, sendsToken) };
}

export const round = (relay: TestRelay) => relay.get(TicketRounds).run();

export interface TicketRow {
  readonly id: string;
  readonly state: string;
  readonly failure: string | null;
  readonly is_repeat: boolean;
  readonly offers: number;
  readonly printer_id: string | null;
  readonly reason: string;
}

/** The ticket of a job; undefined: it has none. */
export async function ticketOf(scenario: Scenario, jobId: string): Promise<TicketRow | undefined> {
  return (await scenario.database.query<TicketRow>('SELECT * FROM tickets WHERE job_id = $1', [jobId]))[0];
}

/** The 60 s of an offer pass. */
export const offerEnds = (scenario: Scenario) =>
  scenario.database.query(`UPDATE tickets SET offered_at = offered_at - interval '61 seconds'`);

/** A sale that waits since more than 3 minutes. */
export async function late(scenario: Scenario, jobId: string): Promise<string> {
  await scenario.database.query(`UPDATE outbox_jobs SET created_at = now() - interval '181 seconds' WHERE id = $1`, [
    jobId,
  ]);
  return jobId;
}

/** Lets the business day begin a moment before every sale of the test, whatever the time is: its zone is that in which it is about noon. */
export async function atNoon(scenario: Scenario, restaurantId: string): Promise<void> {
  const hours = new Date().getUTCHours() - 12;
  const zone = hours === 0 ? 'Etc/UTC' : `Etc/GMT${hours > 0 ? '+' : '-'}${Math.abs(hours)}`;
  await scenario.database.query('UPDATE restaurants SET timezone = $2 WHERE id = $1', [restaurantId, zone]);
}
