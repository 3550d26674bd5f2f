import type { RemedyTexts } from './remedy.js';

const always = (text: string) => [text, text] as const;

/** See `remedy-words.en.ts`. */
export const ptBR: RemedyTexts = {
  refused_product: {
    cause: 'o PDV não conhece um produto dele',
    reason: ['o PDV não conhece um produto', 'o PDV não conhece um produto deles'],
    inShort: 'Informe como o PDV chama o produto.',
  },
  refused_store: {
    cause: 'o PDV não conhece o código da loja',
    reason: always('o PDV não conhece o código da loja'),
    inShort: 'Corrija-o nos ajustes, e envie de novo.',
  },
  refused_credentials: {
    cause: 'o PDV não o permite com estas credenciais',
    reason: always('o PDV não permite com estas credenciais'),
    inShort: 'Informe as credenciais certas nos ajustes, e envie de novo.',
  },
  refused_other: {
    cause: 'o PDV o recusou',
    reason: ['o PDV o recusou', 'o PDV os recusou'],
    inShort: 'Leia o que o PDV diz, corrija isso no PDV e envie de novo.',
  },
  unanswered: {
    cause: 'o PDV não responde',
    reason: always('o PDV não respondeu por tempo demais'),
    inShort: 'Verifique se o PDV está ligado e tem rede, e envie de novo.',
  },
  failing: {
    cause: 'o PDV responde com um erro',
    reason: always('o PDV respondeu com erros por tempo demais'),
    inShort: 'Verifique se o PDV voltou a funcionar, e envie de novo.',
  },
  busy: {
    cause: 'o PDV não pode recebê-lo no momento',
    reason: always('o PDV esteve ocupado por tempo demais'),
    inShort: 'Verifique se o PDV voltou a funcionar, e envie de novo.',
  },
  sign_in: {
    cause: 'o PDV recusa o acesso',
    reason: always('o PDV recusa o acesso deste restaurante'),
    inShort: 'Informe as credenciais certas nos ajustes, e envie de novo.',
  },
  no_code_store_pos: {
    cause: 'falta o código da loja no PDV',
    reason: always('falta o código da loja nos ajustes'),
    inShort: 'Complete os ajustes, e envie de novo.',
  },
  no_currency: {
    cause: 'falta a moeda do restaurante',
    reason: always('falta a moeda nos ajustes'),
    inShort: 'Informe a moeda nos ajustes, e envie de novo.',
  },
  no_credentials: {
    cause: 'faltam as credenciais do PDV, ou já não podem ser lidas',
    reason: always('faltam as credenciais do PDV nos ajustes'),
    inShort: 'Complete os ajustes, e envie de novo.',
  },
  unmappable: {
    cause: 'nenhum pedido pode ser feito do que o terminal enviou',
    reason: ['falta ou está errada uma parte da venda', 'falta ou está errada uma parte de cada venda'],
    inShort: 'Lance no caixa à mão. Mostre os detalhes a quem cuida do terminal.',
    inCommon:
      'Vários restaurantes têm isto ao mesmo tempo: o mais provável é uma só falha de quem envia. Peça primeiro a correção à plataforma dos terminais. Cada restaurante lança os seus pedidos no caixa à mão.',
  },
  refund: {
    cause: 'é um estorno, que se lança no caixa à mão',
    reason: ['é um estorno', 'são estornos'],
    inShort: 'Lance no caixa à mão.',
  },
  unconfirmed: {
    cause: 'pode ter chegado, e o PDV não disse se o tem',
    reason: ['pode estar lá, mas o PDV não diz', 'podem estar lá, mas o PDV não diz'],
    inShort: 'Olhe primeiro no caixa. Envie de novo só o que não está lá.',
  },
  lost: {
    cause: 'o relay foi interrompido, ou o PDV não confirmou o recebimento a tempo',
    reason: [
      'o relay foi interrompido, ou o PDV não confirmou o recebimento',
      'o relay foi interrompido, ou o PDV não confirmou o recebimento',
    ],
    inShort: 'Olhe primeiro no caixa. Envie de novo só o que não está lá.',
  },
  internal: {
    cause: 'o relay não conseguiu enviá-lo',
    reason: ['o relay não conseguiu enviá-lo', 'o relay não conseguiu enviá-los'],
    inShort: 'Envie de novo. Se continuar, mostre os detalhes ao operador.',
  },
  withdrawn: {
    cause: 'foi cancelado antes do envio',
    reason: ['foi cancelado', 'foram cancelados'],
    inShort: 'Não há nada a fazer.',
  },
  other: {
    cause: 'não deu certo',
    reason: always('não se sabe o motivo'),
    inShort: 'Mostre os detalhes ao operador.',
  },
};
