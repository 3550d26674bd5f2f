import type { RemedySteps, Step } from './remedy.js';

const SEND: Step = { say: 'Depois, envie este pedido de novo.', act: 'send' };
const OR_ENTER: Step = { say: 'Ou lance-o no caixa à mão, e toque em “Lançado à mão”.', act: 'entered' };
const WORKS_AGAIN: Step = { say: 'Verifique se o PDV voltou a funcionar.' };

/** See `remedy-steps.en.ts`. */
export const ptBR: RemedySteps = {
  refused_product: [
    { say: 'Informe como o PDV chama o produto: o pedido é então enviado de novo com este código.', act: 'map' },
    { say: 'Se o PDV não tem o produto, cadastre o produto lá, com o código que o terminal envia.' },
    { say: 'Se fez isso, envie este pedido de novo.', act: 'send' },
    OR_ENTER,
  ],
  refused_store: [{ say: 'Um proprietário ou administrador corrige o código da loja nos ajustes.' }, SEND],
  refused_credentials: [
    { say: 'Um proprietário ou administrador informa as credenciais certas do PDV nos ajustes.' },
    SEND,
  ],
  refused_other: [{ say: 'Corrija no PDV o que ele diz acima.' }, SEND, OR_ENTER],
  unanswered: [{ say: 'Verifique se o PDV está ligado e tem rede.' }, SEND, OR_ENTER],
  failing: [WORKS_AGAIN, SEND, OR_ENTER],
  busy: [WORKS_AGAIN, SEND, OR_ENTER],
  sign_in: [{ say: 'Um proprietário ou administrador informa as credenciais certas do PDV nos ajustes.' }, SEND],
  no_code_store_pos: [{ say: 'Um proprietário ou administrador completa os ajustes.' }, SEND],
  no_currency: [{ say: 'Um proprietário ou administrador informa a moeda nos ajustes.' }, SEND],
  no_credentials: [{ say: 'Um proprietário ou administrador completa os ajustes.' }, SEND],
  unmappable: [
    { say: 'Lance a venda no caixa à mão, e toque em “Lançado à mão”.' },
    { say: 'Mostre o campo acima a quem cuida do terminal: o que ele envia precisa mudar.' },
  ],
  refund: [{ say: 'Lance o estorno no caixa à mão, e toque em “Lançado à mão”.' }],
  unconfirmed: [
    { say: 'Olhe no caixa.' },
    { say: 'Se o pedido está lá, toque em “Está no caixa”: ele não é enviado de novo.', act: 'entered' },
    { say: 'Se não está lá, envie-o de novo: o relay antes o procura no PDV.', act: 'send' },
  ],
  lost: [
    { say: 'Olhe no caixa, ou peça ao restaurante que olhe: o pedido pode estar lá.' },
    { say: 'Se está lá, toque em “Está no caixa”: ele não é enviado de novo.', act: 'entered' },
    { say: 'Se não está lá, envie-o de novo.', act: 'send' },
  ],
  internal: [SEND, { say: 'Se ficar parado de novo, mostre esta página ao operador.' }, OR_ENTER],
  withdrawn: [{ say: 'Nada: foi cancelado.' }],
  other: [{ say: 'Mostre esta página ao operador.' }],
};
