import { plainWords } from '../../../platform/files/rules/plain-words.js';
import type { MappedColumn } from './terminal-file.js';

/**
 * Names of columns by what they are, the surest first, in English, Portuguese, Spanish, German, French and Italian, as plainWords() writes them; from the
 * public layouts of Adyen, Stripe, SumUp, Square, PayPal, Mercado Pago, Cielo, Rede, Stone, PagBank and card terminals of German and French banks.
 */
const COLUMN_NAMES: Readonly<Record<MappedColumn, readonly string[]>> = {
  reference: names(
    'transactionkey, merchant reference, transaction key, order id, order number, order no, order reference, order, merchant order id, external reference',
    'pedido, codigo do pedido, numero do pedido, numero de pedido, bestellnummer, auftragsnummer, numero de commande, commande, numero ordine, ordine',
    'reference, referencia, numero de referencia, referenz, reference number, referenznummer, riferimento, transactionnumber, transaction number, transaction id',
    'nsu doc, doc, nsu host, host, documento, numero do documento, codigo da venda, codigo da transacao, id da transacao, codigo de transacao',
    'numero de operacion, id de transaccion, transaktionsnummer, transaktions id, transaktionscode, numero de transaction, id transaction, numero transazione',
    'id transazione, belegnummer, belegnr, bonnummer, numero de ticket, ticket, numero scontrino, scontrino, comprovante, recibo, receipt number, receipt no',
    'invoice number, numero de recibo, numero do comprovante de vendas, nsu cv, codigo venda, codigo transacao, stone id, nsu, ref',
  ),
  authorisation: names(
    'authorisation, authorization, authorisation code, authorization code, auth code, authcode, approval code, autorizacao, codigo de autorizacao, cod autorizacao',
    'codigo autorizacao, numero da autorizacao, autorizacion, codigo de autorizacion, numero de autorizacion, genehmigung, genehmigungsnummer, genehmigungs nr, autorisierungscode',
    'autorisation, code d autorisation, numero d autorisation, autorizzazione, codice autorizzazione, codice di autorizzazione, psp reference',
    'numero da autorizacao auto, numero de autorizacao, nsu',
  ),
  terminal: names(
    'terminal id, terminalid, terminal, tid, numero logico, codigo do terminal, numero do terminal, numero de terminal, terminalnummer, terminal nr, maquininha, maquina',
    'id terminal, numero de serie, serial number, device, terminale, id terminale, tpe, pos id, numero da maquina',
    'codigo da maquininha, numero serie leitor, numero de serie do leitor',
  ),
  instalment: names(
    'parcela, numero da parcela, no da parcela, parcelas, instalment, installment, installments, instalments, cuota, cuotas, rate, raten, echeance, rata',
  ),
  date: names(
    'transaction date, data da venda, data hora, date time, datetime, creation date, receivedat, sale date, data da transacao, data transacao, data da operacao',
    'fecha de venta, fecha de operacion, fecha de transaccion, fecha de compra, fecha y hora, transaktionsdatum, verkaufsdatum, date de vente, date de transaction',
    'date de la transaction, date d operation, date operation, data vendita, data operazione, data transazione, data e ora, data e hora, date, data, fecha, datum',
    'data da autorizacao da venda, data inicial transacao, timestamp, created, created at, date created, at, payment date, buchungsdatum, belegdatum',
  ),
  time: names(
    'time, transaction time, hora, hora da venda, hora da transacao, hora de venta, hora de operacion, uhrzeit, zeit, heure, heure de vente, ora, orario, ora operazione',
    'hora inicial transacao',
  ),
  amount: names(
    'gross credit gc, paid, gross amount, amount gross, gross, total collected, valor bruto, bruto, valor da venda, valor da transacao, valor bruto da venda',
    'importe bruto, monto bruto, bruttobetrag, brutto, montant brut, brut, importo lordo, lordo, transaction amount, amount, valor, importe, monto, betrag, montant',
    'importo, gross sales, total, umsatz, valor total, montant ttc, valor da venda original, valor total transacao',
  ),
  debit: names('gross debit gc, debit, soll'),
  kind: names(
    'type, tipo, kind, transaction type, event type, reporting category, tipo de transacao, tipo da transacao, tipo de lancamento, lancamento, operacao, tipo de operacion',
    'tipo de transaccion, operacion, vorgang, transaktionstyp, transaktionsart, typ, art, buchungsart, type de transaction, type d operation, operation, nature',
    'tipo operazione, tipo di operazione, tipo transazione, operazione, tipo evento',
  ),
  status: names(
    'status, payment status, transaction status, situacao, estado, estatus, statut, stato, etat, esito, resultado, result, ergebnis, resultat, state, ultimo status',
  ),
  tender: names(
    'payment method, tenders, tender, forma de pagamento, meio de pagamento, modalidade, bandeira, card type, card brand, payment type, brand, forma de pago, medio de pago',
    'metodo de pago, tarjeta, zahlungsart, zahlungsmethode, kartenart, kartentyp, moyen de paiement, mode de paiement, type de carte, metodo di pagamento, circuito, produto',
  ),
  currency: names('currency, gross currency, currency code, moeda, moneda, wahrung, devise, monnaie, valuta, divisa'),
};

/** What is left of a sale after fees, and the fees: the sale is compared with what was paid. */
const NO_GROSS =
  /\b(?:net|netto|neto|neta|nette?|nettobetrag|liquid[oa]|fees?|taxas?|tasas?|tarifas?|comiss(?:ao|oes)|comision(?:es)?|commissions?|commissioni?e?|gebuhr(?:en)?|entgelt|frais|descontos?|descontad[oa]|discount|mdr|tip|tips|gorjeta|trinkgeld|pourboire|mwst|iva|tva|vat)\b/;
/** When the money of a sale comes. */
const LATER =
  /\b(?:payout|settlement|available|prevista|previsto|credito|deposito|liquidacao|repasse|auszahlung|auszahlungsdatum|wertstellung|valuta|versement|virement|accredito|vencimento|pago|pagamento)\b/;

function names(...lists: readonly string[]): readonly string[] {
  return lists.flatMap((list) => list.split(', '));
}

/** How surely a column is of a kind, by its name: 0 for no; the larger the surer. */
export function certainty(column: MappedColumn, name: string): number {
  // the clock belongs to the times: file-time
  const plain = plainWords(name).replace(/ (?:utc|gmt)$/, '');
  const exact = COLUMN_NAMES[column].indexOf(plain);
  if (exact >= 0) return 1_000 - exact;
  if (column === 'amount' && !isGross(name)) return 0;
  if (column === 'date' && LATER.test(plain)) return 0;
  const begins = COLUMN_NAMES[column].findIndex((known) => plain.startsWith(`${known} `));
  return begins >= 0 ? 500 - begins : 0;
}

/** Whether amounts of a column with this name may be what was paid. */
export function isGross(name: string): boolean {
  return !NO_GROSS.test(plainWords(name));
}
