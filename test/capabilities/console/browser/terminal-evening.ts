import { eveningZone } from '../../../../tools/screenshots/evening-zone.js';
import { sale } from '../../../support/client.js';
import { type Caller, Scenario } from '../../../support/scenario.js';
import { builtConsole } from './browser.js';

const SALES = 500;
const SECONDS_BETWEEN_SALES = 19;
const CODE = 'STORE-1';
/** how many sales the relay gets at once */
const AT_ONCE = 20;

/** By the number of the sale. */
export const MISSING = [57, 203, 444] as const;
/** the cents that the terminal took more or less */
export const DIFFERENT = new Map([
  [88, 1],
  [301, -1],
]);
export const TWICE = 312;

/** A sale as the terminal knows it. */
export interface TerminalSale {
  readonly number: number;
  readonly reference: string;
  readonly cents: number;
  readonly at: Date;
}

/** An evening of 500 sales: some never reached the relay; with the file that the payment provider has of it. */
export interface TerminalEvening {
  readonly scenario: Scenario;
  readonly restaurantId: string;
  readonly owner: Caller;
  readonly viewer: Caller;
  readonly zone: string;
  readonly sales: readonly TerminalSale[];
}

/** @param count of the sales */
export async function openTerminalEvening(count = SALES): Promise<TerminalEvening> {
  const scenario = await Scenario.open({}, { consoleFolder: builtConsole() });
  const { id: restaurantId, owner } = await scenario.restaurant(CODE);
  const now = new Date();
  const zone = eveningZone(now);
  await scenario.database.query(
    `UPDATE restaurants SET name = 'Pizzeria Roma', timezone = $2, day_closes_at = '04:00', currency = 'BRL',
       days_since = now() - interval '2 days' WHERE id = $1`,
    [restaurantId, zone],
  );
  const viewer = await scenario.staff(restaurantId, 'VIEWER');
  const sales = Array.from({ length: count }, (_, index): TerminalSale => {
    const number = index + 1;
    const at = new Date(Math.floor(now.getTime() / 1_000) * 1_000 - (count - index) * SECONDS_BETWEEN_SALES * 1_000);
    // no two sales of a minute have one amount
    return { number, reference: String(70_000 + number), cents: 2_000 + ((number * 137) % 9_973), at };
  });
  const reported = sales.filter(({ number }) => !(MISSING as readonly number[]).includes(number));
  for (let first = 0; first < reported.length; first += AT_ONCE)
    await Promise.all(reported.slice(first, first + AT_ONCE).map((sold) => scenario.relay.accept(transactionOf(sold))));
  return { scenario, restaurantId, owner, viewer, zone, sales };
}

/** What the terminal reports of a sale. */
export function transactionOf({ number, reference, cents, at }: TerminalSale): Record<string, unknown> {
  const amount = cents / 100;
  return sale({
    ...{ transactionKey: `KEY-${number}`, transactionNumber: reference, storeCode: CODE, totalAmount: amount },
    transactionDate: at.toISOString(),
    items: [{ itemCode: 'PZ-01', itemName: 'Pizza Margherita', quantity: 1, price: amount }],
    payments: [{ tenderType: 16, amount }],
  });
}

/** The provider's file of the evening: three missing here, two with another amount, one double. */
export function fileOf({ sales, zone }: Pick<TerminalEvening, 'sales' | 'zone'>): Buffer {
  const lines = sales.map((sold) => lineOf({ ...sold, cents: sold.cents + (DIFFERENT.get(sold.number) ?? 0) }, zone));
  lines.push(lines[TWICE - 1] as string);
  return csv(lines);
}

/** In the manner of Brazilian acquirers: windows-1252, a title above the names of the columns, decimal comma. */
export function csv(lines: readonly string[]): Buffer {
  const head = ['Relatório de vendas', '', 'Data;Hora;Pedido;Autorização;Terminal;Valor bruto;Status;Bandeira'];
  return Buffer.from(`${[...head, ...lines].join('\r\n')}\r\n`, 'latin1');
}

/** @param zone of the clock by which the provider writes */
export function lineOf({ number, reference, cents, at }: TerminalSale, zone: string): string {
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('pt-BR', { timeZone: zone, ...options }).format(at);
  const date = part({ day: '2-digit', month: '2-digit', year: 'numeric' });
  const time = part({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
  const amount = `${Math.floor(cents / 100)},${String(cents % 100).padStart(2, '0')}`;
  return [date, time, reference, String(500_000 + number), 'T-02', amount, 'Aprovada', 'Visa'].join(';');
}
