import { plainWords } from '../../../platform/files/rules/plain-words.js';
import type { RowKind } from './terminal-file.js';

/**
 * What providers call a row (J6), in English, Portuguese, Spanish, German, French and Italian, as {@link plainWords} writes it. A `*` stands for any
 * ending. The first list counts that has a word of the text: a fee for a refund is a fee.
 */
const ROW_WORDS = {
  // taxes, too: nobody bought them
  fee: [
    'fee fees cost costs commission* tax taxes surcharge interchange',
    'tarifa* taxa* comissao comissoes mensalidade aluguel mdr imposto*',
    'tasa* comision* impuesto* iva',
    'gebuhr* *gebuhr *gebuhren provision* entgelt* kosten steuer* miete',
    'frais taxe* redevance*',
    'commissione commissioni tassa tasse tariffa tariffe canone spese imposta imposte',
  ],
  payout: [
    'payout* transfer* withdraw* deposit* disbursement*',
    'repasse* saque* transferencia* deposito*',
    'retiro* liquidacion*',
    'auszahlung* uberweisung* einzahlung*',
    'virement* versement* retrait* transfert*',
    'bonifico bonifici prelievo prelievi accredito accrediti versamento versamenti trasferimento trasferimenti',
  ],
  adjustment: [
    'adjustment* correction* corrected reserve* hold holds conversion* deduction* topup loan* advance* statement balance balancetransfer bank-instruction-returned',
    'ajuste* acerto* antecipacao antecipacoes bloqueio* saldo',
    'anticipo* retencion*',
    'anpassung* korrektur* berichtigung* einbehalt*',
    'ajustement* regularisation* solde',
    'rettifica rettifiche correzione correzioni riserva trattenuta trattenute',
  ],
  total: [
    'total* subtotal*',
    'totais soma',
    'suma',
    'summe gesamt* zwischensumme endsumme',
    'totaux',
    'totale totali somma',
  ],
  chargeback: [
    'chargeback* charge-back dispute* second-chargeback',
    'contestacao contestacoes',
    'contracargo* disputa* contestacion* desconocimiento*',
    'ruckbuchung* rucklastschrift*',
    'impaye* retrofacturation* litige* contestation',
    'riaddebito contestazione contestazioni',
  ],
  refund: [
    'refund* reversal* reversed void* return returns returned cancel* credit-note',
    'estorno* estornad* devolucao devolucoes reembols* cancelad* cancelamento*',
    'devolucion* anulacion* anulad* reverso* reversion*',
    'ruckerstattung* erstattung* gutschrift* storno* storniert* stornierung* ruckzahlung* ruckgabe*',
    'rembours* annulation* annule* avoir',
    'rimborso rimborsi annullamento annullat* reso resi',
  ],
  // a word such as credit alone is a refund to some, and a card to others: a person says
  sale: [
    'sale* charge charges payment* purchase* capture* settled order orders receipt* contactless credit-card debit-card',
    'venda* pagamento* compra* captura* credito debito pix voucher a-vista parcelad* parcela',
    'venta* pago pagos cobro cobros tarjeta',
    'verkauf* zahlung* kartenzahlung* kauf umsatz umsatze bezahlung* girocard kreditkarte',
    'vente* paiement* achat* encaissement* carte-bancaire',
    'vendita vendite acquisto acquisti incasso incassi',
    // some say by what was paid
    'visa mastercard maestro amex american-express elo hipercard discover diners jcb',
  ],
} as const satisfies Record<string, readonly string[]>;
type Word = keyof typeof ROW_WORDS;

/** What did not come about, beside the words of its status (J6). */
const STATUS_WORDS = {
  declined: [
    'declined refused rejected denied failed failure* unsuccessful error expired aborted blocked unpaid incomplete timeout abandoned',
    'negad* recusad* rejeitad* falha* falhou falhad* expirad* desfeit* erro',
    'rechazad* denegad* fallid* caducad* vencid*',
    'abgelehnt* fehlgeschlagen* abgebrochen* verweigert* ungultig* fehler*',
    'refuse refusee rejete* echoue* echec expire* erreur abandonne*',
    'rifiutat* negat* fallit* scadut* errore respint*',
  ],
  pending: [
    'pending processing uncaptured requires in-process in-progress on-hold',
    'pendente* aguardando em-processamento em-analise em-andamento',
    'pendiente* en-proceso en-curso',
    'ausstehend* offen in-bearbeitung',
    'en-attente en-cours',
    'in-attesa in-corso in-elaborazione',
  ],
  cancelled: [
    'cancel* void*',
    'cancelad*',
    'anulad*',
    'storniert* annulliert* widerrufen*',
    'annule*',
    'annullat* stornat*',
  ],
  reversed: [
    'reversed reversal*',
    'estornad* estorno',
    'revertid* reversad*',
    'zuruckgebucht*',
    'contrepasse*',
    'stornat*',
  ],
  // a sale that was given back later was one; a receivable that is due later is one
  approved: [
    'approved success* succeeded complete* paid capture* settled accepted ok authorised authorized confirmed done processed cleared refunded partially-refunded',
    'aprovad* pago paga concluid* efetivad* confirmad* autorizad* capturad* liquidad* finalizad* sucesso recebid* realizad* agendad* antecipad* previst* a-receber',
    'aprobad* pagad* completad* exitos* cobrad* acreditad* aceptad*',
    'genehmigt* erfolgreich* bezahlt* abgeschlossen* autorisiert* gebucht* bestatigt* verbucht* erstattet*',
    'approuve* reussi* accepte* paye* autorise* termine* valide* encaisse* confirme* effectue* rembourse*',
    'approvat* riuscit* completat* pagat* autorizzat* accettat* confermat* eseguit* contabilizzat* incassat* rimborsat*',
  ],
} as const satisfies Record<string, readonly string[]>;

const KIND_OF: Readonly<Record<Word, RowKind>> = {
  ...{ fee: 'IGNORED', payout: 'IGNORED', adjustment: 'IGNORED', total: 'IGNORED' },
  ...{ chargeback: 'CHARGEBACK', refund: 'REFUND', sale: 'SALE' },
};

/** Words of one list. */
function pattern(lists: readonly string[]): RegExp {
  const words = lists.flatMap((list) => list.split(' '));
  return new RegExp(
    `(?:^| )(?:${words.map((word) => word.replaceAll('-', ' ').replaceAll('*', '[a-z]*')).join('|')})(?= |$)`,
  );
}

const ROWS = Object.entries(ROW_WORDS).map(([word, lists]) => ({ word: word as Word, found: pattern(lists) }));
const NOT_DONE = pattern(Object.values({ ...STATUS_WORDS, approved: [] }).flat());
const NOT_TRIED = pattern([...STATUS_WORDS.declined, ...STATUS_WORDS.pending]);
const DONE = pattern(STATUS_WORDS.approved);
const NOT = /(?:^| )(?:not|nao|no|nicht|non|pas) /;
/** A refund or a dispute that ended for the restaurant: money that comes back is no sale. */
const TAKEN_BACK = /revers|fail|won|ganh|ganad|gewonnen|gagne|vint/;
const TOTAL = pattern(ROW_WORDS.total);

/** Words that are written in one, such as MerchantPayout, are apart. */
function wordsOf(value: string): string {
  return plainWords(value.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2'));
}

/** What the values of a layout mean: kinds of rows, or whether a payment came about. */
export interface OwnWords {
  readonly kinds?: Readonly<Record<string, RowKind>>;
  readonly statuses?: Readonly<Record<string, boolean>>;
  /** other values are asked for */
  readonly hasOwnWords?: true;
}

/**
 * What a value of the column `kind` means, by its words; null: nobody knows, and a person says.
 * @param layout whose words count first
 */
export function guessKind(value: string, layout: OwnWords | null): RowKind | null {
  const words = wordsOf(value);
  const own = layout?.kinds?.[words];
  if (own || layout?.hasOwnWords) return own ?? null;
  if (NOT_TRIED.test(words) || NOT.test(words)) return 'IGNORED';
  const kind = KIND_OF[ROWS.find(({ found }) => found.test(words))?.word as Word] ?? null;
  // a reversal alone is a refund
  const isTakenBack = TAKEN_BACK.test(
    words.replace(/^(?:reversal|reversed)\b|(?<=payment |sale |charge |capture |settled )revers\w*/, ''),
  );
  return isTakenBack && (kind === 'CHARGEBACK' || kind === 'REFUND') ? 'IGNORED' : kind;
}

/** Whether a value of the column `status` says that the payment came about; null: nobody knows, and a person says. */
export function guessStatus(value: string, layout: OwnWords | null = null): boolean | null {
  const words = wordsOf(value);
  const own = layout?.statuses?.[words];
  if (own !== undefined) return own;
  if (NOT_DONE.test(words)) return false;
  return DONE.test(words) ? !NOT.test(words) : null;
}

/** Whether a cell says that its row is a sum. */
export function isTotalWord(cell: string): boolean {
  return TOTAL.test(wordsOf(cell));
}
