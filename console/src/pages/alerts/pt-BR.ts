import { plural } from '../../i18n/texts.js';
import type { en } from './en.js';

const sales = plural('pt-BR', { one: '# venda', other: '# vendas' });
const orders = plural('pt-BR', { one: '# pedido', other: '# pedidos' });
const restaurants = plural('pt-BR', { one: '# restaurante', other: '# restaurantes' });
const tries = plural('pt-BR', { one: '# tentativa', other: '# tentativas' });

export const ptBR: typeof en = {
  title: 'Alertas',
  titleAll: 'Alertas da plataforma',
  open: 'Precisa de alguém',
  past: 'Resolvidos nos últimos 30 dias',
  none: 'Nenhum alerta aberto',
  noneHelp: 'Um pedido que depois de um minuto não está no PDV abre um: pessoas são avisadas, e aqui se vê quem.',
  nonePast: 'Nenhum alerta ainda',
  kinds: {
    ORDER_PARKED: (count: number) => `${orders(count)} pago(s), mas não no PDV`,
    ORDER_LATE: (count: number) => `${orders(count)} à espera há mais de 5 minutos`,
    POS_REFUSES: (count: number) => `O PDV não aceita pedidos; ${orders(count)} à espera`,
    PRINTER_AWAY: () => 'Uma impressora não responde',
    MISSING_HERE: (count: number) => `${sales(count)} de um arquivo do terminal que nunca chegou`,
    KEY_REUSED: (count: number) => `${sales(count)} com a chave de outra venda: não no PDV`,
    KEY_EXPIRES: () => 'Uma chave dos terminais expira em breve',
    KEY_EXPIRED: () => 'Uma chave dos terminais expirou: eles não enviam vendas',
    SENDER_REFUSED: (count, keys = 1) =>
      keys > 1
        ? `${keys} chaves dos terminais foram recusadas ${count} vezes`
        : `Uma chave dos terminais foi recusada ${count === 1 ? '1 vez' : `${count} vezes`}`,
    VENDOR_DOWN: (count) => `O PDV de ${restaurants(count)} falha com a mesma resposta`,
    SIGN_IN: (count) => `O PDV recusa o acesso de ${restaurants(count)}`,
    BACKLOG: (count) => `${orders(count)} já deviam ter sido enviados`,
    DATABASE_SLOW: () => 'O banco de dados responde devagar',
    INSTANCE_LOST: () => 'Um processo do relay terminou sem ser parado',
    DATABASE: () => 'Nenhuma venda pôde ser guardada',
  },
  since: (time: string) => `desde ${time}`,
  during: (from: string, to: string) => `${from} até ${to}`,
  expires: (time) => `expira ${time}`,
  expired: (time) => `expirou ${time}`,
  replaceKey: 'Trocar a chave na configuração',
  newKey: 'Criar uma nova chave na configuração, depois revogar esta',
  showKeys: 'Mostrar as chaves',
  newest: 'Pedido mais recente',
  show: 'Mostrar os pedidos',
  showFile: 'Mostrar quais são, e o que fazer',
  acknowledge: 'Eu cuido disso',
  acknowledgeHelp: 'Ninguém mais é avisado. Fecha sozinho quando estiver resolvido.',
  acknowledged: (name: string, time: string) => `${name} cuida disso, desde ${time}`,
  somebody: 'Alguém',
  mayNot:
    'Seu papel não permite assumir. Avise um proprietário, administrador ou gerente do restaurante; quem foi avisado está abaixo.',
  next: (time: string) => `Mais pessoas são avisadas às ${time}, se ninguém assumir.`,
  told: 'Quem foi avisado',
  toldNobody: 'Ninguém foi avisado ainda.',
  nobody: 'Ninguém pode ser avisado: nenhuma pessoa tem um canal confirmado.',
  setUp: 'Receber avisos neste telefone ou por e-mail',
  channels: { push: 'Notificação', mail: 'E-mail', webhook: 'Webhook' },
  webhook: 'o webhook',
  states: {
    WAITING: 'espera',
    SENDING: 'sendo enviado',
    SENT: 'enviado',
    FOLDED: 'enviado em outra mensagem',
    FAILED: 'não pôde ser enviado',
  },
  tries,
  ack: {
    title: 'Um pedido precisa de alguém',
    text: 'Se você cuidar disso, ninguém mais é avisado.',
    done: 'Obrigado. Ninguém mais é avisado.',
    open: 'Abrir a página',
    invalid: 'Este link já foi usado, expirou, ou já está resolvido.',
  },
};
