import { comma, type Writer } from './writer.js';

const europe = (zone: string, offsetHours: number) => ({ preset: null, zone, offsetHours, separator: ';' }) as const;

/** Layouts of the corpus, in six languages: they are read by the names and values of their columns (J5). */
export const GUESSED: Readonly<Record<string, Writer>> = {
  'en-point-of-sale-12h': {
    ...europe('America/New_York', -5),
    separator: ',',
    header: 'Date,Time,Event Type,Gross Sales,Total Collected,Fees,Net Total,Receipt Number'.split(','),
    row: ({ number, cents, isDeclined }, { day, time }) => {
      const [hour = 0, ...rest] = time.split(':').map(Number);
      const twelve = [hour % 12 || 12, ...rest].map((part) => String(part).padStart(2, '0')).join(':');
      const of = (some: number) => `$${(some / 100).toFixed(2)}`;
      const sums = [of(cents - 100), of(cents), '-$0.50', of(cents - 50), number];
      return isDeclined ? null : [day, `${twelve} ${hour < 12 ? 'AM' : 'PM'}`, 'Payment', ...sums];
    },
  },
  'pt-status': {
    ...europe('America/Sao_Paulo', -3),
    header: 'Data;Hora;Tipo;Número do pedido;Valor;Status'.split(';'),
    row: ({ number, cents, isDeclined }, { european, time }) => {
      const clock = time.slice(0, 5).replace(':', 'h');
      return [european, clock, 'Venda', number, comma(cents), isDeclined ? 'Negada' : 'Aprovada'];
    },
  },
  'pt-parcelas': {
    ...europe('America/Sao_Paulo', -3),
    perInstalment: true,
    header: 'Pedido;Data;Hora;Parcela;Valor'.split(';'),
    row: ({ number, cents, part, parts, isDeclined }, { european, time }) =>
      isDeclined ? null : [number, european, time, `${part}/${parts}`, comma(cents)],
  },
  'es-operaciones': {
    ...europe('Europe/Madrid', 1),
    header: 'Fecha;Hora;Tipo de operación;Número de operación;Importe;Estado'.split(';'),
    row: ({ number, cents, isDeclined }, { european, time }) => [
      european,
      time,
      'Venta',
      number,
      `${comma(cents)} €`,
      isDeclined ? 'Rechazada' : 'Aprobada',
    ],
  },
  'de-kartenumsaetze': {
    ...europe('Europe/Berlin', 1),
    header: 'Datum;Uhrzeit;Belegnummer;Vorgang;Betrag;Währung'.split(';'),
    row: ({ number, cents, isDeclined }, { european, time }) => [
      european.replaceAll('/', '.'),
      time,
      number,
      isDeclined ? 'Abgelehnt' : 'Kartenzahlung',
      comma(cents),
      'EUR',
    ],
  },
  'fr-releve': {
    ...europe('Europe/Paris', 1),
    header: "Date;Heure;Type d'opération;Numéro de commande;Montant;Statut".split(';'),
    row: ({ number, cents, isDeclined }, { european, time }) => [
      european,
      time,
      'Vente',
      number,
      `${comma(cents).replace('.', ' ')} €`,
      isDeclined ? 'Refusée' : 'Acceptée',
    ],
  },
  'it-movimenti': {
    ...europe('Europe/Rome', 1),
    header: 'Data;Ora;Tipo operazione;Numero ordine;Importo;Esito'.split(';'),
    row: ({ number, cents, isDeclined }, { european, time }) => {
      const clock = time.replaceAll(':', '.');
      return [european, clock, 'Vendita', number, `€ ${comma(cents)}`, isDeclined ? 'Rifiutata' : 'Approvata'];
    },
  },
};
