import { PRESETS } from '../../../../src/capabilities/terminal-files/rules/terminal-file.js';
import { Scenario } from '../../../support/scenario.js';
import { FileDesk } from '../file-desk.js';
import { BRAZIL } from './brazil.js';
import { eveningOf } from './evening.js';
import { GUESSED } from './guessed.js';
import { PROVIDERS } from './providers.js';
import { type Writer, written } from './writer.js';

const KNOWN: Readonly<Record<string, Writer>> = { ...PROVIDERS, ...BRAZIL };
/** The relay's own exports are written by the relay itself: files.spec.ts. */
const OWN = ['relay_takings', 'relay_closings'];

describe('an evening of 500 sales in the layouts of providers', () => {
  const scenario = Scenario.ofSuite();

  test('each layout that is known has an evening (J5)', () => {
    expect(new Set(Object.values(KNOWN).map(({ preset }) => preset))).toEqual(
      new Set(PRESETS.filter((preset) => !OWN.includes(preset))),
    );
  });

  test.each<[name: string, writer: Writer]>(Object.entries({ ...KNOWN, ...GUESSED }))(
    '%s: the differences name the six payments that need a hand, as the file was guessed (J5, J10)',
    async (name, writer) => {
      const desk = await FileDesk.open(scenario, writer.zone);
      const { sold, payments, needs } = eveningOf(name, writer.offsetHours * 3_600_000, writer.perInstalment === true);
      await desk.sold(sold);
      const text = written(writer, payments);
      const file = await desk.confirmed(text);
      expect(file.preset).toBe(writer.preset);
      const { data } = await desk.differences(file.id);
      const ofNothing =
        written(
          writer,
          payments.filter(({ isDeclined }) => isDeclined),
        ).split('\r\n').length - 2;
      expect(data.filter(({ answer }: { answer: string }) => answer === 'IGNORED')).toHaveLength(ofNothing);
      const rows = text.split('\r\n');
      const named = data
        .filter(({ answer }: { answer: string }) => answer !== 'IGNORED')
        .map(({ answer, line }: { answer: string; line: number }) => [answer, rows[line - 1]]);
      const expected = Object.entries(needs).flatMap(([answer, ids]) =>
        ids.map((id) => {
          const of = payments.find((payment) => payment.id === id);
          const row = written(writer, of ? [of] : []).split('\r\n')[1];
          return [answer, row];
        }),
      );
      expect(named).toEqual(expected);
    },
  );
});
