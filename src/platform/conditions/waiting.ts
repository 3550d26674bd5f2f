import type { Language } from '../http/fields/languages.js';
import { type RemedyKey, remedyKeyOf } from './remedy.js';

/** Words about one order, and about several. */
type Forms = readonly [one: string, other: string];

/** What people read of orders that wait for the POS (R67): for pages, mails and push. */
export interface WaitingWords {
  /** the POS was asked, and does not accept them */
  readonly sent: Forms;
  /** the relay has not tried them */
  readonly late: Forms;
  /** who enters what waits has it in the till twice */
  readonly notByHand: Forms;
  /** beside the paper of orders that wait or are parked */
  readonly onPaper: string;
  /** for those who can record it (R65), beside the button */
  readonly enteredAnyway: string;
  /** what ends the wait sooner, by cause: to those who may change the set-up, to the others */
  readonly mend: Readonly<Partial<Record<RemedyKey, readonly [self: string, others: string]>>>;
}

const everybody = (text: string) => [text, text] as const;

export const WAITING: Readonly<Record<Language, WaitingWords>> = {
  en: {
    sent: [
      'Nothing is lost: it is sent automatically as soon as the POS accepts it.',
      'Nothing is lost: they are sent automatically as soon as the POS accepts them.',
    ],
    late: [
      'It has not been sent yet. Tell the operator: the relay may not be delivering.',
      'They have not been sent yet. Tell the operator: the relay may not be delivering.',
    ],
    notByHand: [
      'Do not enter it in the till by hand: it would be there twice.',
      'Do not enter them in the till by hand: they would be there twice.',
    ],
    onPaper:
      'Orders that wait are still sent to the POS: do not enter them in the till by hand, or they are there twice.',
    enteredAnyway: 'If you enter it all the same, press “Entered by hand”: it is not sent then.',
    mend: {
      unanswered: everybody('Check that the POS is on and has a network.'),
      sign_in: [
        'The POS refuses partner id and secret: correct them in the set-up.',
        'The POS refuses partner id and secret: tell an owner or administrator, who can correct them in the set-up.',
      ],
      no_code_store_pos: [
        'The store code at the POS is missing: enter it in the set-up.',
        'The store code at the POS is missing: tell an owner or administrator, who can enter it in the set-up.',
      ],
      no_currency: [
        'The currency of the restaurant is missing: enter it in the set-up.',
        'The currency of the restaurant is missing: tell an owner or administrator, who can enter it in the set-up.',
      ],
      no_credentials: [
        'Partner id and secret of the POS are missing or cannot be read: enter them in the set-up.',
        'Partner id and secret of the POS are missing or cannot be read: tell an owner or administrator, who can enter them in the set-up.',
      ],
    },
  },
  'pt-BR': {
    sent: [
      'Nada se perde: ele é enviado sozinho assim que o PDV o aceitar.',
      'Nada se perde: eles são enviados sozinhos assim que o PDV os aceitar.',
    ],
    late: [
      'Ele ainda não foi enviado. Avise o operador: talvez o relay não esteja entregando.',
      'Eles ainda não foram enviados. Avise o operador: talvez o relay não esteja entregando.',
    ],
    notByHand: [
      'Não o lance no caixa à mão: ele estaria lá duas vezes.',
      'Não os lance no caixa à mão: eles estariam lá duas vezes.',
    ],
    onPaper:
      'Os pedidos que aguardam ainda são enviados ao PDV: não os lance no caixa à mão, ou eles estarão lá duas vezes.',
    enteredAnyway: 'Se o lançar mesmo assim, toque em “Lançado à mão”: então ele não é enviado.',
    mend: {
      unanswered: everybody('Verifique se o PDV está ligado e tem rede.'),
      sign_in: [
        'O PDV recusa o parceiro e o segredo: corrija-os nos ajustes.',
        'O PDV recusa o parceiro e o segredo: avise um proprietário ou administrador, que pode corrigi-los nos ajustes.',
      ],
      no_code_store_pos: [
        'Falta o código da loja no PDV: informe-o nos ajustes.',
        'Falta o código da loja no PDV: avise um proprietário ou administrador, que pode informá-lo nos ajustes.',
      ],
      no_currency: [
        'Falta a moeda do restaurante: informe-a nos ajustes.',
        'Falta a moeda do restaurante: avise um proprietário ou administrador, que pode informá-la nos ajustes.',
      ],
      no_credentials: [
        'O parceiro e o segredo do PDV faltam ou não podem ser lidos: informe-os nos ajustes.',
        'O parceiro e o segredo do PDV faltam ou não podem ser lidos: avise um proprietário ou administrador, que pode informá-los nos ajustes.',
      ],
    },
  },
};

/** The place of the words in {@link Forms}. */
const formOf = (count: number): 0 | 1 => (count === 1 ? 0 : 1);

/** What ends the wait of orders with a cause sooner; undefined: only the POS can. @param maySetUp whether the reader may change the set-up */
export const mendOf = (words: WaitingWords, cause: string | null, maySetUp: boolean): string | undefined =>
  words.mend[remedyKeyOf(cause)]?.[maySetUp ? 0 : 1];

/**
 * What to do, and what not, while orders wait (R67).
 * @param cause why the last attempt failed (O30); null: there was none
 * @param count how many orders wait
 * @param maySetUp whether the reader may change the set-up of the restaurant
 */
export function waitingLines(words: WaitingWords, cause: string | null, count: number, maySetUp: boolean) {
  const form = formOf(count);
  const mend = mendOf(words, cause, maySetUp);
  const sent = (cause === null ? words.late : words.sent)[form];
  return { help: mend === undefined ? sent : `${mend} ${sent}`, warning: words.notByHand[form] };
}

/** The same in one text. */
export function waitingHelp(...of: Parameters<typeof waitingLines>): string {
  const { help, warning } = waitingLines(...of);
  return `${help} ${warning}`;
}
