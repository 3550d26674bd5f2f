import type { Cause } from '../../domain/cause.js';
import type { Language } from '../../platform/http/fields/languages.js';

/** What every alert says, whatever it is about. */
interface Words {
  /** why, and what helps */
  readonly cause: Readonly<Record<Cause | 'other', string>>;
  readonly number: string;
  readonly newest: string;
  readonly over: string;
  readonly more: (count: number) => string;
  readonly away: (minutes: number) => string;
}

const EN: Words = {
  cause: {
    refused:
      'The POS refused the order. Mend what it names, for example an unknown product, then send the order again.',
    unanswered: 'The POS does not answer. Check its network and that it runs; the order is sent when it is back.',
    failing: 'The POS answers with errors. Restart it, or call its support.',
    busy: 'The POS asks to wait.',
    sign_in: 'The POS refuses the sign-in. Check partner id and secret on the set-up page.',
    no_code_store_pos: 'The store code of the POS is missing. Enter it on the set-up page.',
    no_credentials: 'The credentials of the POS are missing or cannot be read. Enter them on the set-up page.',
    unmappable: 'No order can be made of this sale. Enter it in the POS by hand.',
    refund: 'It is a refund. Enter it in the POS by hand.',
    unconfirmed: 'The order may have arrived. Look in the POS before you send it again.',
    lost: 'The sending was interrupted. Look in the POS, then send it again.',
    internal: 'The relay failed. Send it again; if it stays, call the operator.',
    withdrawn: 'The order was cancelled.',
    other: 'Open the page for the reason.',
  },
  number: 'No.',
  newest: 'newest',
  over: 'There is nothing more to do.',
  more: (n) => `And ${n} more ${n === 1 ? 'alert' : 'alerts'}: open the page.`,
  away: (minutes) => `It was away for ${minutes} min.`,
};

const PT: Words = {
  cause: {
    refused:
      'O PDV recusou o pedido. Corrija o que ele indica, por exemplo um produto desconhecido, e envie o pedido de novo.',
    unanswered: 'O PDV não responde. Verifique a rede e se ele está ligado; o pedido é enviado assim que o PDV voltar.',
    failing: 'O PDV responde com erros. Reinicie o PDV ou chame o suporte.',
    busy: 'O PDV pede para esperar.',
    sign_in: 'O PDV recusa o acesso. Verifique parceiro e segredo na página de configuração.',
    no_code_store_pos: 'Falta o código da loja no PDV. Informe na página de configuração.',
    no_credentials: 'As credenciais do PDV faltam ou não podem ser lidas. Informe na página de configuração.',
    unmappable: 'Não é possível fazer um pedido desta venda. Lance a venda no PDV à mão.',
    refund: 'É um estorno. Lance no PDV à mão.',
    unconfirmed: 'O pedido pode ter chegado. Verifique no PDV antes de enviar de novo.',
    lost: 'O envio foi interrompido. Verifique no PDV e envie de novo.',
    internal: 'O relay falhou. Envie de novo; se continuar, chame o operador.',
    withdrawn: 'O pedido foi cancelado.',
    other: 'Abra a página para ver o motivo.',
  },
  number: 'Nº',
  newest: 'o mais recente',
  over: 'Não há mais nada a fazer.',
  more: (n) => `E mais ${n} ${n === 1 ? 'alerta' : 'alertas'}: abra a página.`,
  away: (minutes) => `Ficou fora por ${minutes} min.`,
};

/** The words of alerts in each language. */
export const WORDS: Readonly<Record<Language, Words>> = { en: EN, 'pt-BR': PT };
