import { plural, type Same } from '../../i18n/texts.js';
import type { en } from './en.js';

const many = (forms: { one: string; other: string }) => plural('pt-BR', forms);

export const ptBR: Same<typeof en> = {
  title: 'Todos os meus restaurantes',
  search: 'Buscar um restaurante pelo nome',
  foundNone: 'Nenhum restaurante tem isto no nome',
  clearSearch: 'Limpar a busca',
  list: 'Restaurantes, os mais antigos primeiro',
  name: 'Restaurante',
  light: 'Situação',
  orders: 'Hoje',
  taken: 'Vendido',
  notInPos: 'Fora do PDV',
  lastSale: 'Última venda',
  setup: 'Ajustes',
  lights: {
    good: 'Tudo certo',
    wait: 'Pedidos aguardam',
    bad: 'Pedidos parados',
    idle: 'Sem pedidos hoje',
  },
  everything: 'nada',
  orderCount: many({ one: '# pedido', other: '# pedidos' }),
  earlier: (count) => `+ ${count} antes`,
  noSale: 'nenhuma ainda',
  isDone: 'completos',
  stepsLeft: many({ one: 'falta # passo', other: 'faltam # passos' }),
};
