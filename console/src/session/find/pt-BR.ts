import type { Same } from '../../i18n/texts.js';
import type { en } from './en.js';

export const ptBR: Same<typeof en> = {
  title: 'Buscar',
  label: 'Uma página, um pedido, um restaurante ou o que você quer fazer',
  none: 'Nada encontrado',
  keys: { move: 'mover', open: 'abrir', close: 'fechar' },
  groups: { restaurants: 'Restaurantes', pages: 'Páginas', acts: 'O que você pode fazer', orders: 'Pedidos' },
  lights: { good: 'em ordem', wait: 'há pedidos aguardando', bad: 'precisa de alguém', idle: 'nenhum pedido hoje' },
  closedDays: 'Dias fechados',
  products: 'Produtos e códigos',
  terminalFiles: 'O arquivo do terminal',
  topics: {
    restaurant: 'Ajustes: o restaurante',
    pos: 'Ajustes: o PDV',
    terminals: 'Ajustes: terminais',
    printers: 'Ajustes: impressoras',
    people: 'Ajustes: pessoas',
    alerts: 'Ajustes: alertas',
  },
  testSale: 'Enviar uma venda de teste',
  printAll: 'Imprimir os que aguardam',
  newRestaurant: 'Criar um restaurante',
  everywhere: (text) => `Buscar “${text}” em todos os restaurantes`,
  language: (name) => `Mudar o idioma: ${name}`,
  number: (number) => `Nº ${number}`,
};
