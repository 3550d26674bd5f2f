import type { SaleState } from '../../domain/order-state.js';
import type { Language } from '../../platform/http/fields/languages.js';

/** What the mail about a closing says. */
interface Words {
  readonly title: (place: string, day: string, net: string) => string;
  readonly titleOfSome: (count: number) => string;
  readonly saleCount: (count: number) => string;
  readonly cancelledCount: (count: number) => string;
  readonly refundCount: (count: number) => string;
  readonly taken: string;
  readonly cancelled: string;
  readonly refunded: string;
  readonly net: string;
  readonly tip: string;
  readonly serviceFee: string;
  /** tip and service fee are a part of what was taken */
  readonly included: (parts: string) => string;
  /** where something was cancelled */
  readonly cancelledHelp: string;
  /** the same, where there are tips or service fees */
  readonly cancelledAndTipsHelp: string;
  readonly perpetual: string;
  readonly tenders: string;
  /** names of the POS (R18) in the language */
  readonly tender: Readonly<Record<string, string>>;
  readonly unknownTender: (type: string) => string;
  readonly others: string;
  readonly several: string;
  readonly notInPos: string;
  readonly states: Readonly<Record<Exclude<SaleState, 'delivered' | 'cancelled'>, string>>;
  readonly resolved: string;
  readonly allInPos: string;
  /** where something was settled by hand */
  readonly othersInPos: string;
  readonly more: (days: number) => string;
  readonly head: (number: number, day: string) => string;
  readonly seal: string;
  readonly help: string;
}

const NUMBERS = { en: new Intl.NumberFormat('en'), 'pt-BR': new Intl.NumberFormat('pt-BR') };

const EN: Words = {
  title: (place, day, net) => `${place}: ${day} is closed, ${net}`,
  titleOfSome: (count) => `${count} days of your restaurants are closed`,
  saleCount: (count) => (count === 1 ? '1 sale' : `${NUMBERS.en.format(count)} sales`),
  cancelledCount: (count) => `${NUMBERS.en.format(count)} cancelled`,
  refundCount: (count) => (count === 1 ? '1 refund' : `${NUMBERS.en.format(count)} refunds`),
  ...{
    taken: 'Taken',
    cancelled: 'cancelled',
    refunded: 'refunded',
    net: 'net',
    tip: 'tip',
    serviceFee: 'service fee',
  },
  included: (parts) => `Included in what was taken: ${parts}`,
  cancelledHelp: 'Taken and net are without cancelled orders. The sums by tender include them.',
  cancelledAndTipsHelp:
    'All of these are without cancelled orders. The sums by tender include them, but not their tips and service fees.',
  perpetual: 'Sales less refunds of all closed days, cancelled orders included',
  tenders: 'By tender',
  tender: { cash: 'Cash', 'instant payment': 'Instant payment', 'credit card': 'Credit card' },
  unknownTender: (type) => `Tender ${type}`,
  others: 'Other tenders',
  several: 'Several tenders',
  notInPos: 'Not in the POS',
  states: { waiting: 'Waiting', parked: 'Parked' },
  resolved: 'Settled by hand',
  allInPos: 'Every sale that was not cancelled was in the POS.',
  othersInPos: 'Every other sale that was not cancelled was in the POS.',
  more: (days) =>
    `${days === 1 ? '1 day' : `${days} days`} before ${days === 1 ? 'was' : 'were'} closed since your last mail.`,
  head: (number, day) => `Closing No. ${number}, ${day}`,
  seal: 'Seal',
  help: 'Keep this mail. To check, enter day and seal on the page of the closed days: it says whether any closed day was changed or removed.',
};

const PT: Words = {
  title: (place, day, net) => `${place}: ${day} foi fechado, ${net}`,
  titleOfSome: (count) => `${count} dias dos seus restaurantes foram fechados`,
  // the language takes the singular for 0 too
  saleCount: (count) => `${NUMBERS['pt-BR'].format(count)} ${count < 2 ? 'venda' : 'vendas'}`,
  cancelledCount: (count) => `${NUMBERS['pt-BR'].format(count)} ${count < 2 ? 'cancelada' : 'canceladas'}`,
  refundCount: (count) => `${NUMBERS['pt-BR'].format(count)} ${count < 2 ? 'estorno' : 'estornos'}`,
  ...{
    taken: 'Vendido',
    cancelled: 'cancelado',
    refunded: 'estornado',
    net: 'líquido',
    tip: 'gorjeta',
    serviceFee: 'taxa de serviço',
  },
  included: (parts) => `Incluído no vendido: ${parts}`,
  cancelledHelp: 'Vendido e líquido não incluem pedidos cancelados. As somas por pagamento os incluem.',
  cancelledAndTipsHelp:
    'Nada disso inclui pedidos cancelados. As somas por pagamento os incluem, mas não as suas gorjetas e taxas de serviço.',
  perpetual: 'Vendas menos estornos de todos os dias fechados, com os pedidos cancelados',
  tenders: 'Por pagamento',
  tender: { cash: 'Dinheiro', 'instant payment': 'Pagamento instantâneo', 'credit card': 'Cartão de crédito' },
  unknownTender: (type) => `Pagamento ${type}`,
  others: 'Outros pagamentos',
  several: 'Várias formas de pagamento',
  notInPos: 'Fora do PDV',
  states: { waiting: 'Aguardando', parked: 'Parado' },
  resolved: 'Resolvido à mão',
  allInPos: 'Todas as vendas que não foram canceladas estavam no PDV.',
  othersInPos: 'Todas as outras vendas que não foram canceladas estavam no PDV.',
  more: (days) =>
    `${days === 1 ? '1 dia anterior foi fechado' : `${days} dias anteriores foram fechados`} desde o seu último e-mail.`,
  head: (number, day) => `Fechamento nº ${number}, ${day}`,
  seal: 'Selo',
  help: 'Guarde este e-mail. Para verificar, informe dia e selo na página dos dias fechados: ela diz se algum dia fechado foi alterado ou removido.',
};

/** The words of the mail about a closing in each language. */
export const WORDS: Readonly<Record<Language, Words>> = { en: EN, 'pt-BR': PT };
