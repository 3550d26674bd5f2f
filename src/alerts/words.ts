import type { Language } from '../channels/channel.js';
import type { Cause } from '../domain/cause.js';
import type { AlertKind } from './alert.js';

/** What is said of an alert; of a key that has expired another thing than before. */
type Wording = AlertKind | 'KEY_EXPIRED';

/**
 * What an alert says. `place` is the name of the restaurant, empty for the platform; `name` that of an instance, a printer or a key; `when` the time at
 * which the key expires.
 */
interface Words {
  readonly title: Readonly<Record<Wording, (count: number, place: string, name: string, when: string) => string>>;
  readonly closed: Readonly<Record<AlertKind, (place: string, name: string) => string>>;
  /** why, and what helps */
  readonly cause: Readonly<Record<Cause | 'other', string>>;
  readonly help: Readonly<Partial<Record<Wording, string>>>;
  readonly number: string;
  readonly newest: string;
  readonly over: string;
  readonly more: (count: number) => string;
  readonly away: (minutes: number) => string;
}

const upTo = (count: number) => (count >= 1_000 ? '1,000+' : String(count));

const EN: Words = {
  title: {
    ORDER_PARKED: (n, place) =>
      `${place}: ${n === 1 ? '1 order is' : `${upTo(n)} orders are`} paid, but not in the POS`,
    ORDER_LATE: (n, place) =>
      `${place}: ${n === 1 ? '1 order has' : `${upTo(n)} orders have`} waited for the POS for more than 5 min`,
    POS_REFUSES: (n, place) => `${place}: the POS takes no orders; ${n === 1 ? '1 order waits' : `${upTo(n)} wait`}`,
    PRINTER_AWAY: (_, place, name) => `${place}: the printer ${name} does not answer`,
    MISSING_HERE: (n, place, name) =>
      `${place}: ${n === 1 ? '1 sale' : `${upTo(n)} sales`} of the file ${name} never reached the relay`,
    KEY_REUSED: (n, place) =>
      `${place}: ${n === 1 ? '1 sale' : `${upTo(n)} sales`} came under the number of another sale, and ${n === 1 ? 'is' : 'are'} not in the POS`,
    KEY_EXPIRES: (_, place, name, when) => `${place || 'Platform'}: the terminals' key ${name} expires on ${when}`,
    KEY_EXPIRED: (_, place, name) => `${place || 'Platform'}: the key ${name} has expired, its terminals send no sales`,
    INSTANCE_LOST: (_n, _place, name) => `The relay process ${name} ended without a stop`,
    DATABASE: () => 'The relay cannot store sales: its database does not answer',
  },
  closed: {
    ORDER_PARKED: (place) => `${place}: solved, no order is parked for this reason any more`,
    ORDER_LATE: (place) => `${place}: solved, no order waits any more`,
    POS_REFUSES: (place) => `${place}: solved, the POS takes orders again`,
    PRINTER_AWAY: (place, name) => `${place}: solved, the printer ${name} answers again`,
    MISSING_HERE: (place, name) => `${place}: solved, no sale of the file ${name} is missing any more`,
    KEY_REUSED: (place) => `${place}: no sale came under the number of another one for a day`,
    KEY_EXPIRES: (place, name) =>
      `${place || 'Platform'}: the key ${name} was replaced or revoked, or is not used any more`,
    INSTANCE_LOST: (_place, name) => `Solved: ${name} is back, or another process took its place`,
    DATABASE: () => 'Solved: the relay stores sales again',
  },
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
  help: {
    PRINTER_AWAY: 'Check power, paper and network of the printer.',
    MISSING_HERE:
      'Enter them in the POS by hand, and say so on the page of the file. Then look why the terminal did not send them.',
    KEY_REUSED:
      'Enter them in the POS by hand. Then call the vendor of the terminal: it sends two sales with one transactionKey.',
    KEY_EXPIRES: 'Replace it in the set-up, and enter the new key in the terminals before. Then no sale is refused.',
    KEY_EXPIRED:
      'Make a new key in the set-up, enter it in the terminals, and let them send again the sales that were refused. Then revoke the old key.',
    INSTANCE_LOST: 'Look at the log of its host. Other processes take over what it had claimed.',
    DATABASE: 'Terminals get 503 and send again. Check the database.',
  },
  number: 'No.',
  newest: 'newest',
  over: 'There is nothing more to do.',
  more: (n) => `And ${n} more ${n === 1 ? 'alert' : 'alerts'}: open the page.`,
  away: (minutes) => `It was away for ${minutes} min.`,
};

const PT: Words = {
  title: {
    ORDER_PARKED: (n, place) =>
      `${place}: ${n === 1 ? '1 pedido pago não está' : `${upTo(n)} pedidos pagos não estão`} no PDV`,
    ORDER_LATE: (n, place) =>
      `${place}: ${n === 1 ? '1 pedido espera' : `${upTo(n)} pedidos esperam`} pelo PDV há mais de 5 min`,
    POS_REFUSES: (n, place) =>
      `${place}: o PDV não aceita pedidos; ${n === 1 ? '1 pedido espera' : `${upTo(n)} esperam`}`,
    PRINTER_AWAY: (_, place, name) => `${place}: a impressora ${name} não responde`,
    MISSING_HERE: (n, place, name) =>
      `${place}: ${n === 1 ? '1 venda' : `${upTo(n)} vendas`} do arquivo ${name} não ${n === 1 ? 'chegou' : 'chegaram'} ao relay`,
    KEY_REUSED: (n, place) =>
      `${place}: ${n === 1 ? '1 venda veio' : `${upTo(n)} vendas vieram`} com a chave de outra venda, e não ${n === 1 ? 'está' : 'estão'} no PDV`,
    KEY_EXPIRES: (_, place, name, when) => `${place || 'Plataforma'}: a chave ${name} dos terminais expira em ${when}`,
    KEY_EXPIRED: (_, place, name) =>
      `${place || 'Plataforma'}: a chave ${name} expirou, os terminais dela não enviam vendas`,
    INSTANCE_LOST: (_n, _place, name) => `O processo ${name} do relay terminou sem ser parado`,
    DATABASE: () => 'O relay não consegue guardar vendas: o banco de dados não responde',
  },
  closed: {
    ORDER_PARKED: (place) => `${place}: resolvido, nenhum pedido está parado por este motivo`,
    ORDER_LATE: (place) => `${place}: resolvido, nenhum pedido espera`,
    POS_REFUSES: (place) => `${place}: resolvido, o PDV voltou a aceitar pedidos`,
    PRINTER_AWAY: (place, name) => `${place}: resolvido, a impressora ${name} responde`,
    MISSING_HERE: (place, name) => `${place}: resolvido, não falta mais nenhuma venda do arquivo ${name}`,
    KEY_REUSED: (place) => `${place}: nenhuma venda veio com a chave de outra há um dia`,
    KEY_EXPIRES: (place, name) =>
      `${place || 'Plataforma'}: a chave ${name} foi trocada ou revogada, ou não é mais usada`,
    INSTANCE_LOST: (_place, name) => `Resolvido: ${name} voltou, ou outro processo tomou o lugar`,
    DATABASE: () => 'Resolvido: o relay guarda vendas novamente',
  },
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
  help: {
    PRINTER_AWAY: 'Verifique energia, papel e rede da impressora.',
    MISSING_HERE:
      'Lance as vendas no PDV à mão, e informe isso na página do arquivo. Depois veja por que o terminal não as enviou.',
    KEY_REUSED:
      'Lance as vendas no PDV à mão. Depois chame o fornecedor do terminal: ele envia duas vendas com a mesma transactionKey.',
    KEY_EXPIRES:
      'Troque a chave na configuração, e informe a nova nos terminais antes disso. Assim nenhuma venda é recusada.',
    KEY_EXPIRED:
      'Crie uma nova chave na configuração, informe-a nos terminais, e faça-os enviar de novo as vendas recusadas. Depois revogue a antiga.',
    INSTANCE_LOST: 'Veja o log do servidor. Outros processos assumem o trabalho.',
    DATABASE: 'Os terminais recebem 503 e enviam de novo. Verifique o banco de dados.',
  },
  number: 'Nº',
  newest: 'o mais recente',
  over: 'Não há mais nada a fazer.',
  more: (n) => `E mais ${n} ${n === 1 ? 'alerta' : 'alertas'}: abra a página.`,
  away: (minutes) => `Ficou fora por ${minutes} min.`,
};

/** The words of alerts in each language. */
export const WORDS: Readonly<Record<Language, Words>> = { en: EN, 'pt-BR': PT };
