import { plural } from '../../i18n/texts.js';
import type { en } from './en.js';

const tries = plural('pt-BR', { one: '# tentativa', other: '# tentativas' });

export const ptBR: typeof en = {
  title: 'Alertas',
  titleAll: 'Alertas da plataforma',
  open: 'Precisa de alguém',
  past: 'Fechados nos últimos 30 dias',
  notSolved: 'não resolvido',
  none: 'Nenhum alerta aberto',
  noneHelp: 'Um pedido que depois de um minuto não está no PDV abre um: pessoas são avisadas, e aqui se vê quem.',
  nonePast: 'Nenhum alerta ainda',
  since: (time: string) => `desde ${time}`,
  during: (from: string, to: string) => `${from} até ${to}`,
  expires: (time) => `expira ${time}`,
  expired: (time) => `expirou ${time}`,
  replaceKey: 'Trocar a chave nos ajustes',
  newKey: 'Criar uma nova chave nos ajustes, depois revogar esta',
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
    WAITING: 'aguarda',
    SENDING: 'sendo enviado',
    SENT: 'enviado',
    FOLDED: 'enviado em outra mensagem',
    FAILED: 'não pôde ser enviado',
  },
  tries,
  ack: {
    title: 'Alguém é necessário',
    text: 'Se você cuidar disso, ninguém mais é avisado.',
    done: 'Obrigado. Ninguém mais é avisado.',
    open: 'Abrir a página',
    invalid: 'Este link já foi usado, expirou, ou já está resolvido.',
  },
};
