import type { RemedyTexts, Step } from './remedy.js';

const SEND: Step = { say: 'Depois, envie este pedido de novo.', act: 'send' };
const OR_ENTER: Step = { say: 'Ou lance-o no caixa à mão, e toque em “Lançado à mão”.', act: 'entered' };
const WORKS_AGAIN: Step = { say: 'Verifique se o PDV voltou a funcionar.' };
const always = (text: string) => [text, text] as const;

/** See `remedy-words.en.ts`. */
export const ptBR: RemedyTexts = {
  refused_product: {
    cause: 'o PDV não conhece um produto dele',
    reason: ['o PDV não conhece um produto', 'o PDV não conhece um produto deles'],
    inShort: 'Cadastre o produto no PDV com o código que o terminal envia, e envie de novo.',
    steps: [{ say: 'Cadastre o produto no PDV, com o código que o terminal envia.' }, SEND, OR_ENTER],
  },
  refused_store: {
    cause: 'o PDV não conhece o código da loja',
    reason: always('o PDV não conhece o código da loja'),
    inShort: 'Corrija o código da loja nos ajustes, e envie de novo.',
    steps: [{ say: 'Um proprietário ou administrador corrige o código da loja nos ajustes.' }, SEND],
  },
  refused_credentials: {
    cause: 'o PDV não o permite com estas credenciais',
    reason: always('o PDV não permite com estas credenciais'),
    inShort: 'Informe as credenciais certas nos ajustes, e envie de novo.',
    steps: [{ say: 'Um proprietário ou administrador informa as credenciais certas do PDV nos ajustes.' }, SEND],
  },
  refused_other: {
    cause: 'o PDV o recusou',
    reason: ['o PDV o recusou', 'o PDV os recusou'],
    inShort: 'Leia o que o PDV diz, corrija isso no PDV e envie de novo.',
    steps: [{ say: 'Corrija no PDV o que ele diz acima.' }, SEND, OR_ENTER],
  },
  unanswered: {
    cause: 'o PDV não responde',
    reason: always('o PDV não respondeu por tempo demais'),
    inShort: 'Verifique se o PDV está ligado e tem rede, e envie de novo.',
    steps: [{ say: 'Verifique se o PDV está ligado e tem rede.' }, SEND, OR_ENTER],
  },
  failing: {
    cause: 'o PDV responde com um erro',
    reason: always('o PDV respondeu com erros por tempo demais'),
    inShort: 'Verifique se o PDV voltou a funcionar, e envie de novo.',
    steps: [WORKS_AGAIN, SEND, OR_ENTER],
  },
  busy: {
    cause: 'o PDV não pode recebê-lo no momento',
    reason: always('o PDV esteve ocupado por tempo demais'),
    inShort: 'Verifique se o PDV voltou a funcionar, e envie de novo.',
    steps: [WORKS_AGAIN, SEND, OR_ENTER],
  },
  sign_in: {
    cause: 'o PDV recusa o acesso',
    reason: always('o PDV recusa o acesso deste restaurante'),
    inShort: 'Informe as credenciais certas nos ajustes, e envie de novo.',
    steps: [{ say: 'Um proprietário ou administrador informa as credenciais certas do PDV nos ajustes.' }, SEND],
  },
  no_code_store_pos: {
    cause: 'falta o código da loja no PDV',
    reason: always('falta o código da loja nos ajustes'),
    inShort: 'Complete os ajustes, e envie de novo.',
    steps: [{ say: 'Um proprietário ou administrador completa os ajustes.' }, SEND],
  },
  no_credentials: {
    cause: 'faltam as credenciais do PDV, ou já não podem ser lidas',
    reason: always('faltam as credenciais do PDV nos ajustes'),
    inShort: 'Complete os ajustes, e envie de novo.',
    steps: [{ say: 'Um proprietário ou administrador completa os ajustes.' }, SEND],
  },
  unmappable: {
    cause: 'nenhum pedido pode ser feito do que o terminal enviou',
    reason: ['falta ou está errada uma parte da venda', 'falta ou está errada uma parte de cada venda'],
    inShort: 'Lance no caixa à mão. Mostre os detalhes a quem cuida do terminal.',
    steps: [
      { say: 'Lance a venda no caixa à mão, e toque em “Lançado à mão”.' },
      { say: 'Mostre o campo acima a quem cuida do terminal: o que ele envia precisa mudar.' },
    ],
  },
  refund: {
    cause: 'é um estorno, que se lança no caixa à mão',
    reason: ['é um estorno', 'são estornos'],
    inShort: 'Lance no caixa à mão.',
    steps: [{ say: 'Lance o estorno no caixa à mão, e toque em “Lançado à mão”.' }],
  },
  unconfirmed: {
    cause: 'pode ter chegado, e o PDV não disse se o tem',
    reason: ['pode estar lá, mas o PDV não diz', 'podem estar lá, mas o PDV não diz'],
    inShort: 'Olhe primeiro no caixa. Envie de novo só o que não está lá.',
    steps: [
      { say: 'Olhe no caixa.' },
      { say: 'Se o pedido está lá, toque em “Lançado à mão”: ele não é enviado de novo.', act: 'entered' },
      { say: 'Se não está lá, envie-o de novo: o relay antes o procura no PDV.', act: 'send' },
    ],
  },
  lost: {
    cause: 'o relay foi interrompido',
    reason: ['o relay foi interrompido ao enviá-lo', 'o relay foi interrompido ao enviá-los'],
    inShort: 'Olhe primeiro no caixa. Envie de novo só o que não está lá.',
    steps: [
      { say: 'Olhe no caixa: o pedido pode estar lá.' },
      { say: 'Se está lá, toque em “Lançado à mão”: ele não é enviado de novo.', act: 'entered' },
      { say: 'Se não está lá, envie-o de novo.', act: 'send' },
    ],
  },
  internal: {
    cause: 'o relay não conseguiu enviá-lo',
    reason: ['o relay não conseguiu enviá-lo', 'o relay não conseguiu enviá-los'],
    inShort: 'Envie de novo. Se continuar, mostre os detalhes ao operador.',
    steps: [SEND, { say: 'Se ficar parado de novo, mostre esta página ao operador.' }, OR_ENTER],
  },
  withdrawn: {
    cause: 'foi cancelado antes do envio',
    reason: ['foi cancelado', 'foram cancelados'],
    inShort: 'Não há nada a fazer.',
    steps: [{ say: 'Nada: foi cancelado.' }],
  },
  other: {
    cause: 'não deu certo',
    reason: always('não se sabe o motivo'),
    inShort: 'Mostre os detalhes ao operador.',
    steps: [{ say: 'Mostre esta página ao operador.' }],
  },
};
