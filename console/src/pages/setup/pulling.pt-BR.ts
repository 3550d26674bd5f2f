import type { pullingEn } from './pulling.en.js';

export const pullingPtBR: typeof pullingEn = {
  title: 'Como os pedidos chegam ao PDV',
  vendor: 'Caminho até o PDV',
  vendors: { sends: 'O relé envia', fetches: 'O PDV busca (Open Delivery)' },
  help: {
    sends: 'O relé chama o PDV com o id de parceiro e o segredo.',
    fetches: 'O PDV pergunta ao relé pelos pedidos. Ele não precisa de endereço; dê a ele as credenciais abaixo.',
  },
  saved: 'Salvo. Os próximos pedidos vão por este caminho.',
  hasOrders:
    'Não salvo: o PDV pode ter pedidos ainda em aberto, e outro os receberia também. Espere, lance-os à mão ou cancele-os.',
  currency: 'Falta a moeda do restaurante: os pedidos aguardam até que seja definida.',
  toCurrency: 'Definir a moeda',
  address: 'Endereço do relé, para os ajustes do PDV:',
  caption: 'Credenciais do PDV',
  none: 'Nenhuma credencial ainda: o PDV não pode buscar pedidos.',
  polled: (time) => `perguntou por último ${time}`,
  neverPolled: 'ainda não perguntou',
  leftOut: (types) => `Ele não pede ${types}: esses eventos aguardam.`,
  worksUntil: (time) => `funciona até ${time}`,
  add: 'Criar credenciais',
  name: 'Nome do PDV',
  nameHint: 'Por exemplo quem o faz, ou onde ele fica.',
  nameError: '1 a 60 caracteres.',
  button: 'Criar as credenciais',
  tooMany: 'No máximo 5 funcionam ao mesmo tempo. Revogue uma antes.',
  made: (name) => `As credenciais ${name} foram criadas. São mostradas só agora:`,
  clientId: 'Client id',
  clientSecret: 'Client secret',
  rotate: 'Trocar',
  rotated: (name) =>
    `As credenciais ${name} foram trocadas; as antigas funcionam por mais 24 horas. As novas são mostradas só agora:`,
  revoke: 'Revogar',
  revokeTitle: (name) => `Revogar as credenciais ${name}?`,
  revokeText: 'O PDV não busca mais nenhum pedido com elas, na hora. Isso não pode ser desfeito.',
  revoked: (name) => `As credenciais ${name} foram revogadas.`,
};
