import { isolated } from '../../i18n/isolated.js';
import { plural, type Same } from '../../i18n/texts.js';
import type { topicsEn } from './topics.en.js';

const printers = plural('pt-BR', { one: '# impressora', other: '# impressoras' });

/** The topics of the set-up and their states. */
export const topicsPtBR: Same<typeof topicsEn> = {
  index: 'Assuntos dos ajustes',
  back: 'Ajustes',
  topics: {
    restaurant: 'Restaurante e códigos',
    pos: 'Ligação com o PDV',
    terminals: 'Terminais',
    printers: 'Impressoras',
    people: 'Pessoas e funções',
    alerts: 'Avisos para outro programa',
  },
  products: 'Produtos e códigos',
  states: {
    noCurrency: 'falta a moeda',
    noCode: 'falta o código da loja no PDV',
    code: (code) => `loja ${isolated(code)} no PDV`,
    noCredentials: 'faltam credenciais',
    own: 'tem credenciais próprias',
    shared: 'usa as do relay',
    fetches: 'ele busca os pedidos',
    noPoll: 'ainda não perguntou pelos pedidos',
    noSale: 'nenhuma venda ainda',
    sales: 'as vendas chegam',
    printers: (count) => (count === 0 ? 'nenhuma' : printers(count)),
    away: plural('pt-BR', { one: '# não responde', other: '# não respondem' }),
    people: plural('pt-BR', { one: '# pessoa', other: '# pessoas' }),
    noWebhook: 'nenhum',
    webhook: 'um é avisado',
    webhookFails: 'ele não responde',
  },
};
