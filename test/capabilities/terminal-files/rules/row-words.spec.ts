import { LAYOUTS } from '../../../../src/capabilities/terminal-files/rules/presets.js';
import { guessKind, guessStatus, isTotalWord } from '../../../../src/capabilities/terminal-files/rules/row-words.js';

describe("words of a terminal's file", () => {
  test.each<[kind: ReturnType<typeof guessKind>, words: string]>([
    ['SALE', 'Sale|charge|payment|Purchase|Settled|capture|Credit card|Express Checkout Payment|Visa'],
    ['SALE', 'Venda|Venda crédito à vista|Pagamento|Compra|Crédito|Débito|Pix|Voucher'],
    ['SALE', 'Venta|Pago|Cobro|Compra con tarjeta'],
    ['SALE', 'Verkauf|Zahlung|Kartenzahlung|girocard|Umsatz'],
    ['SALE', 'Vente|Paiement|Achat|Encaissement|Vendita|Acquisto|Incasso|Pagamento con carta'],
    ['REFUND', 'Refund|Refunded|payment_refund|Reversal|payment_reversal|Void|Credit note|SettledReversed'],
    ['REFUND', 'Estorno|Devolução|Reembolso|Cancelamento de venda|Devolución|Anulación'],
    ['REFUND', 'Gutschrift|Rückerstattung|Storno|Rückzahlung|Remboursement|Annulation|Avoir|Rimborso|Reso'],
    ['CHARGEBACK', 'Chargeback|SecondChargeback|dispute|Contestação|Contracargo|Rücklastschrift|Impayé|Contestazione'],
    [
      'IGNORED',
      'Fee|stripe_fee|Payment fee|Refund fee|Payment processing fees|Tarifa|Taxa de antecipação|Comisión|Gebühr|Kartengebühr|Frais|Commissione',
    ],
    [
      'IGNORED',
      'Payout|MerchantPayout|Transfer|Withdrawal|Repasse|Saque|Retiro|Auszahlung|Überweisung|Virement|Bonifico',
    ],
    [
      'IGNORED',
      'Adjustment|DepositCorrection|Balancetransfer|InvoiceDeduction|Ajuste|Korrektur|Régularisation|Rettifica',
    ],
    ['IGNORED', 'Total|Gesamtsumme|Totale|Total geral'],
    // it ended for the restaurant
    ['IGNORED', 'ChargebackReversed|RefundedReversed|refund_failure|Chargeback won|dispute_reversal'],
    // it did not come about
    [
      'IGNORED',
      'Declined sale|Venda negada|Venta rechazada|Zahlung fehlgeschlagen|Paiement refusé|Pagamento rifiutato',
    ],
    [null, 'Credit|Debit|Settlement|Other|Sonstiges|XPTO|4711'],
    // the relay's own export has these words
    [null, 'closing|line|item'],
  ])('%s: %s (J6)', (kind, words) => {
    const guessed = words.split('|').map((word) => [word, guessKind(word, null)]);
    expect(guessed).toEqual(words.split('|').map((word) => [word, kind]));
  });

  test("words of the relay's own export belong to it alone (J6)", () => {
    const own = ['closing', 'line', 'sale', 'payment', 'item'].map((word) => guessKind(word, LAYOUTS.relay_closings));
    expect(own).toEqual(['IGNORED', 'IGNORED', 'SALE', 'IGNORED', 'IGNORED']);
    expect(guessKind('payment', null)).toBe('SALE');
  });

  test.each<[counts: boolean | null, words: string]>([
    [true, 'Approved|Successful|succeeded|Completed|Paid|Settled|Refunded|OK'],
    [true, 'Aprovada|Aprovado|Paga|Concluída|Efetivada|Autorizada|Recebido|A receber|Sucesso'],
    [true, 'Aprobada|Pagado|Completada|Exitosa|Acreditado|Genehmigt|Erfolgreich|Bezahlt|Abgeschlossen'],
    [true, 'Approuvé|Réussi|Accepté|Payé|Effectué|Approvato|Riuscita|Completata|Pagato|Eseguito'],
    [false, 'Failed|Declined|Cancelled|Canceled|Pending|Reversed|Voided|Expired|Refused|Not approved'],
    [false, 'Negada|Recusada|Cancelada|Pendente|Estornada|Não autorizada|Em processamento|Falhou'],
    [false, 'Rechazada|Denegada|Anulada|Pendiente|Revertida|No aprobada'],
    [false, 'Abgelehnt|Fehlgeschlagen|Storniert|Ausstehend|Abgebrochen|Nicht genehmigt|In Bearbeitung'],
    [false, 'Refusé|Refusée|Annulé|En attente|Échoué|Échec|Non autorisé'],
    [false, 'Rifiutato|Annullata|In attesa|Stornato|Fallita|Non riuscita'],
    [null, 'XPTO|7|Lote 3'],
  ])('%s: %s (J6)', (counts, words) => {
    const guessed = words.split('|').map((word) => [word, guessStatus(word)]);
    expect(guessed).toEqual(words.split('|').map((word) => [word, counts]));
  });

  test('sums are known by their word (J6)', () => {
    expect(['Total', 'TOTAL:', 'Summe', 'Totaux', 'Totale', 'Grand total', 'Soma'].map(isTotalWord)).not.toContain(
      false,
    );
    expect(['', 'K-1', '000123', 'Vanessa'].map(isTotalWord)).not.toContain(true);
  });
});
