import { plural, type Same } from '../../i18n/texts.js';
import type { en } from './en.js';

const many = (forms: { one: string; other: string }) => plural('pt-BR', forms);
const wait = many({ one: '# aguarda', other: '# aguardam' });
const onTheWay = many({ one: '# está a caminho', other: '# estão a caminho' });
const orders = many({ one: '# pedido', other: '# pedidos' });
const late = many({ one: '# pedido aguarda', other: '# pedidos aguardam' });

export const ptBR: Same<typeof en> = {
  title: 'Hoje',
  businessDay: (day, zone) => `${day} · ${zone}`,
  light: 'Situação dos pedidos',
  idle: 'Nenhum pedido chegou ainda hoje',
  delivered: many({ one: 'O único pedido está no PDV', other: 'Todos os # pedidos estão no PDV' }),
  arrived: many({
    one: 'O único pedido que chegou está no PDV',
    other: 'Todos os # pedidos que chegaram estão no PDV',
  }),
  cancelledToo: many({ one: '# foi cancelado', other: '# foram cancelados' }),
  underWay: (delivered, orders, waiting) => `${delivered} de ${orders} pedidos estão no PDV, ${onTheWay(waiting)}`,
  onlyUnderWay: many({ one: '# pedido está a caminho', other: '# pedidos estão a caminho' }),
  onlyWaiting: many({ one: '# pedido aguarda', other: '# pedidos aguardam' }),
  failing: (waiting, failure, since) => `${wait(waiting)}: ${failure} desde ${since}`,
  nextTry: (time) => `próxima tentativa em ${time}`,
  tryingNow: 'tentando agora',
  answersWith: (status) => `o PDV responde com erro ${status}`,
  late: (count) => `${late(count)} mais que o normal`,
  recovering: many({
    one: 'O PDV voltou: # pedido está sendo enviado',
    other: 'O PDV voltou: # pedidos estão sendo enviados',
  }),
  parked: many({ one: '# pedido não está no PDV', other: '# pedidos não estão no PDV' }),
  perhapsParked: many({ one: '# pedido precisa de você', other: '# pedidos precisam de você' }),
  unknown: many({
    one: '# pedido pode estar no PDV, ou não: olhe no caixa',
    other: '# pedidos podem estar no PDV, ou não: olhe no caixa',
  }),
  cancelParked: many({ one: 'O PDV não aceitou # cancelamento', other: 'O PDV não aceitou # cancelamentos' }),
  forReasons: (count) => `, por ${count} motivos`,
  earlierParked: many({ one: '# pedido de outro dia está parado', other: '# pedidos de outros dias estão parados' }),
  refused: many({
    one: '# venda veio com a chave de outra venda: não está no PDV',
    other: '# vendas vieram com a chave de outra venda: não estão no PDV',
  }),
  showRefused: 'O que fazer',
  andEarlier: (today, earlier) => `${today} + ${earlier} antes`,
  cancelHelp: 'Tire o pedido do caixa à mão, ou peça o cancelamento de novo.',
  needs: {
    label: 'O que precisa de alguém',
    orders,
    refunds: many({ one: '# estorno a lançar no caixa', other: '# estornos a lançar no caixa' }),
    triedAgain: (time) => `Enviado de novo às ${time}, e recusado de novo`,
    more: many({ one: 'e mais #', other: 'e mais #' }),
    all: 'Ver todos',
    each: 'Cada pedido',
    sayWhat: ([first = '', ...others]) =>
      `Informe como o PDV chama ${first}${others.length > 0 ? ` e mais ${others.length}` : ''}.`,
    senderRefused: (count, name, since) =>
      `Um terminal é recusado desde ${since}: a chave ${name} não vale mais (${count === 1 ? '1 envio' : `${count} envios`})`,
    senderSilent: (since: string) => `Nenhuma venda chegou desde ${since}, embora costume haver vendas`,
  },
  again: {
    title: 'Enviar estes pedidos de novo?',
    action: (count) => `Enviar ${count} de novo`,
    what: (count, oldest, sum) => `${orders(count)}, ${sum} ao todo. O mais antigo é de ${oldest}.`,
    old: 'O mais antigo tem mais de 12 horas. Verifique se ninguém já lançou estes pedidos à mão.',
    again: 'São enviados já. Um pedido cuja causa não foi resolvida fica parado de novo.',
    done: many({ one: '# pedido está sendo enviado', other: '# pedidos estão sendo enviados' }),
  },
  resolve: {
    button: 'Resolver…',
    title: 'Dar por resolvidos os pedidos parados de outros dias?',
    what: many({
      one: '# pedido parado de outro dia. Ele fica como está, e ninguém mais é avisado dele.',
      other: '# pedidos parados de outros dias. Eles ficam como estão, e ninguém mais é avisado deles.',
    }),
    check: 'Faça isto se eles já foram lançados no caixa à mão, ou não precisam estar lá.',
    reason: 'O que foi feito',
    reasonHelp: 'A auditoria o guarda, com o seu nome.',
    action: (count) => `Resolver ${count}`,
    none: 'Não há mais nada parado de outros dias.',
    done: many({ one: '# pedido foi resolvido', other: '# pedidos foram resolvidos' }),
  },
  checkSetup: 'Verificar os ajustes',
  orders: 'Pedidos',
  printAll: 'Imprimir os que aguardam',
  filter: 'Quais pedidos',
  filters: {
    all: 'Todos',
    waiting: 'Aguardando',
    parked: 'Parados',
    delivered: 'No PDV',
    cancelled: 'Cancelados',
  },
  search: 'Buscar um pedido: número, valor, item, mesa',
  searchHint:
    'O início de um número, um valor como 42,50, um item, ou a mesa se o terminal a envia, dos últimos 7 dias; um número inteiro de qualquer dia.',
  searchedFrom: (time) =>
    `Há pedidos demais para buscar em todos: a busca foi só nos recebidos desde ${time}. Um número inteiro encontra um pedido de qualquer dia.`,
  foundNone: (text) => `Nenhum pedido encontrado para “${text}”`,
  foundNoneHelp:
    'Com mais de 7 dias, só pelo número inteiro. Uma venda que nunca chegou ao relay não está aqui: veja o terminal.',
  clearSearch: 'Limpar a busca',
  none: {
    all: 'Nenhum pedido ainda hoje',
    waiting: 'Nada aguarda',
    parked: 'Nada está parado',
    delivered: 'Nada está no PDV ainda hoje',
    cancelled: 'Nada foi cancelado hoje',
  },
  noneHelp: 'As vendas aparecem aqui sozinhas, logo depois de o terminal imprimir o recibo.',
  earlier: 'Mostrar também os dias anteriores',
  onlyToday: 'Só hoje',
  number: (number) => `Nº ${number}`,
  tryAgainIn: (time) => `próxima tentativa em ${time}`,
  attempt: many({ one: '# tentativa', other: '# tentativas' }),
  soldOn: (day) => `Vendido ${day}`,
  warned: 'tem um aviso',
  takings: 'Vendas até agora',
  taken: 'Vendido',
  ofWhich: { delivered: 'no PDV', resolved: 'resolvido à mão', waiting: 'aguardando', parked: 'parado' },
  noTakings: 'Nada foi vendido ainda hoje',
  anotherDay: many({
    one: '# venda de hoje tem a data de outro dia',
    other: '# vendas de hoje têm a data de outro dia',
  }),
  otherTenders: 'Por forma de pagamento',
  share: (share) => `${share} do total`,
  mismatches: many({
    one: '# venda tem um total diferente do que foi pago',
    other: '# vendas têm um total diferente do que foi pago',
  }),
};
