import { plural, type Same } from '../i18n/texts.js';
import type { en } from './en.js';

export const ptBR: Same<typeof en> = {
  title: 'Vendas recusadas',
  list: 'Vendas com a chave de outra venda',
  help: 'Duas vendas diferentes vieram com a mesma transactionKey. A primeira é um pedido; lance estas no PDV à mão, e chame o fornecedor do terminal.',
  first: 'o pedido desta chave',
  sent: 'O que o terminal enviou',
  times: plural('pt-BR', { one: 'veio uma vez', other: 'veio # vezes' }),
  erased: 'o conteúdo foi apagado',
};
