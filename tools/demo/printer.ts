import { setTimeout as delay } from 'node:timers/promises';
import { PrinterSimulator } from '../simulator/printer.js';
import type { Terminal } from './terminal.js';

const POLL_EVERY_MS = 1_000;
const WIDTH = 32;

/** The receipt printer in the kitchen: it prints what the POS does not have. */
export class KitchenPrinter {
  private constructor(private readonly printer: PrinterSimulator) {}

  /** Adds the printer to the restaurant, as on the set-up page. */
  static async install(terminal: Terminal): Promise<KitchenPrinter> {
    const path = `/restaurants/${terminal.restaurantId}/printers`;
    const { body } = await terminal.call('POST', path, { name: 'Kitchen', width: WIDTH });
    return new KitchenPrinter(
      new PrinterSimulator(new URL((body.data as { address: string }).address, terminal.relayUrl).href),
    );
  }

  /** Polls until a ticket is printed. @returns its text */
  async hasPrinted(stop: AbortSignal): Promise<string> {
    while (!(await this.printer.poll())) await delay(POLL_EVERY_MS, undefined, { signal: stop });
    return this.printer.printed.at(-1) ?? '';
  }
}
