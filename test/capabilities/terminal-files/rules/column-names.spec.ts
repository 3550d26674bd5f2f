import { guessMappings } from '../../../../src/capabilities/terminal-files/rules/file-mapping.js';
import { MAPPED_COLUMNS } from '../../../../src/capabilities/terminal-files/rules/terminal-file.js';

const DATE = '12/02/2026';
const cellOf = (name: string, i: number) => (/^dat|fecha|created/i.test(name) ? DATE : `${i + 1},50`);

/** What is guessed of columns by their names: each by its name. */
function guessed(header: string): Record<string, string> {
  const columns = header.split(';');
  const cells = columns.map(cellOf);
  const [mapping] = guessMappings({ columns, records: [{ line: 2, cells }], delimiter: ';', zone: 'UTC' });
  const found = MAPPED_COLUMNS.flatMap((column) => {
    const place = mapping[column];
    return place === null ? [] : [[column, columns[place]]];
  });
  return Object.fromEntries(found);
}

describe("names of the columns of a terminal's file", () => {
  test.each<[header: string, expected: Record<string, string>]>([
    [
      'Data da venda;Hora;NSU/DOC;Código de autorização;Forma de pagamento;Valor líquido;Taxa;Valor bruto',
      {
        ...{ date: 'Data da venda', time: 'Hora', reference: 'NSU/DOC', authorisation: 'Código de autorização' },
        ...{ amount: 'Valor bruto', tender: 'Forma de pagamento' },
      },
    ],
    [
      'Data;NSU;Autorização;Terminal;Valor',
      { date: 'Data', reference: 'NSU', authorisation: 'Autorização', terminal: 'Terminal', amount: 'Valor' },
    ],
    ['Data;NSU;Valor', { date: 'Data', authorisation: 'NSU', amount: 'Valor' }],
    ['Data;NSU Host;DOC;Bruto;Líquido', { date: 'Data', reference: 'DOC', authorisation: 'NSU Host', amount: 'Bruto' }],
    ['Data prevista;Data da transação;Valor líquido;Valor', { date: 'Data da transação', amount: 'Valor' }],
    ['Date;Fees;Net;Gross;Transaction ID', { date: 'Date', amount: 'Gross', reference: 'Transaction ID' }],
    [
      'Datum;Uhrzeit;Belegnummer;Nettobetrag;Betrag',
      { date: 'Datum', time: 'Uhrzeit', reference: 'Belegnummer', amount: 'Betrag' },
    ],
    [
      'Date;Heure;Numéro de ticket;Frais;Montant',
      { date: 'Date', time: 'Heure', reference: 'Numéro de ticket', amount: 'Montant' },
    ],
    [
      'Data;Ora;Numero scontrino;Commissione;Importo',
      { date: 'Data', time: 'Ora', reference: 'Numero scontrino', amount: 'Importo' },
    ],
    [
      'Fecha;Hora;Número de operación;Comisión;Importe bruto;Importe neto',
      { date: 'Fecha', time: 'Hora', reference: 'Número de operación', amount: 'Importe bruto' },
    ],
    // nothing says what is paid: what is left after the fee it is not
    ['Data;A receber líquido;Taxa;Pagos', { date: 'Data', amount: 'Pagos' }],
  ])('%s (J5)', (header, expected) => {
    expect(guessed(header)).toEqual(expected);
  });
});
