import { plural } from '../i18n/plural.js';
import type { Same } from '../i18n/texts.js';
import type { en } from './cause-words.en.js';

const THEN_ASK = 'Depois, envie este pedido de novo.';
const THEN_SEND = `${THEN_ASK} Ou lance-o no caixa à mão, e cancele o pedido.`;
const WORKS_AGAIN = `Verifique se o PDV voltou a funcionar.\n${THEN_SEND}`;
const SET_UP = `Um proprietário ou administrador completa os ajustes.\n${THEN_ASK}`;

/** of which the number does not matter */
const always = (text: string) => (_count: number) => text;
const many = (one: string, other: string) => plural('pt-BR', { one, other });

export const ptBR: Same<typeof en> = {
  causes: {
    refused: 'o PDV o recusou',
    unanswered: 'o PDV não responde',
    failing: 'o PDV responde com um erro',
    busy: 'o PDV não pode recebê-lo no momento',
    sign_in: 'o PDV recusa o acesso',
    no_code_store_pos: 'falta o código da loja no PDV',
    no_credentials: 'faltam as credenciais do PDV, ou já não podem ser lidas',
    unmappable: 'nenhum pedido pode ser feito do que o terminal enviou',
    refund: 'é um reembolso, que se lança no caixa à mão',
    unconfirmed: 'pode ter chegado, e o PDV não disse se o tem',
    lost: 'o relé foi interrompido',
    internal: 'o relé não conseguiu enviá-lo',
    withdrawn: 'foi cancelado antes do envio',
    other: 'não deu certo',
  },
  reasons: {
    refused: many('o PDV o recusou', 'o PDV os recusou'),
    unanswered: always('o PDV não respondeu por tempo demais'),
    failing: always('o PDV respondeu com erros por tempo demais'),
    busy: always('o PDV esteve ocupado por tempo demais'),
    sign_in: always('o PDV recusa o acesso deste restaurante'),
    no_code_store_pos: always('falta o código da loja nos ajustes'),
    no_credentials: always('faltam as credenciais do PDV nos ajustes'),
    unmappable: many('falta ou está errada uma parte da venda', 'falta ou está errada uma parte de cada venda'),
    refund: many('é um reembolso', 'são reembolsos'),
    unconfirmed: many('pode estar lá, mas o PDV não diz', 'podem estar lá, mas o PDV não diz'),
    lost: many('o relé foi interrompido ao enviá-lo', 'o relé foi interrompido ao enviá-los'),
    internal: many('o relé não conseguiu enviá-lo', 'o relé não conseguiu enviá-los'),
    withdrawn: many('foi cancelado', 'foram cancelados'),
    other: always('não se sabe o motivo'),
  },
  inShort: {
    refused: 'Abra um para ler o que o PDV diz, corrija isso no PDV e envie de novo.',
    unanswered: 'Verifique se o PDV está ligado e tem rede, e envie de novo.',
    failing: 'Verifique se o PDV voltou a funcionar, e envie de novo.',
    busy: 'Verifique se o PDV voltou a funcionar, e envie de novo.',
    sign_in: 'Informe as credenciais certas nos ajustes, e envie de novo.',
    no_code_store_pos: 'Complete os ajustes, e envie de novo.',
    no_credentials: 'Complete os ajustes, e envie de novo.',
    unmappable: 'Lance no caixa à mão, e mostre os detalhes a quem cuida do terminal.',
    refund: 'Lance no caixa à mão.',
    unconfirmed: 'Olhe no caixa antes de enviar de novo.',
    lost: 'Olhe no caixa antes de enviar de novo.',
    internal: 'Mostre os detalhes ao operador.',
    withdrawn: 'Não há nada a fazer.',
    other: 'Mostre os detalhes ao operador.',
  },
  remedies: {
    refused: `Corrija a causa no PDV: se o produto é desconhecido, cadastre-o lá com o código que o terminal envia.\n${THEN_SEND}`,
    unanswered: `Verifique se o PDV está ligado e tem rede.\n${THEN_SEND}`,
    failing: WORKS_AGAIN,
    busy: WORKS_AGAIN,
    sign_in: `Um proprietário ou administrador informa as credenciais certas do PDV nos ajustes.\n${THEN_ASK}`,
    no_code_store_pos: SET_UP,
    no_credentials: SET_UP,
    unmappable:
      'Lance a venda no caixa à mão, e cancele o pedido.\nMostre o campo acima a quem cuida do terminal: o que ele envia precisa mudar.',
    refund: 'Lance o reembolso no caixa à mão, e cancele o pedido.',
    unconfirmed: 'Olhe no caixa. Se o pedido não está lá, envie-o de novo: o relé antes o procura no PDV.',
    lost: `Olhe no caixa: o pedido pode estar lá.\n${THEN_SEND}`,
    internal: 'Mostre esta página ao operador.',
    withdrawn: 'Nada: foi cancelado.',
    other: 'Mostre esta página ao operador.',
  },
};
