import type { Same } from '../i18n/texts.js';
import type { en } from './en.js';

export const ptBR: Same<typeof en> = {
  chart: 'Vendas por hora',
  running: 'O dia, hora a hora',
  chartSummary: (hour, amount) => `A melhor hora começou às ${hour}, com ${amount}.`,
  today: 'Hoje',
  lastWeekdays: [
    'domingo passado',
    'segunda passada',
    'terça passada',
    'quarta passada',
    'quinta passada',
    'sexta passada',
    'sábado passado',
  ],
  compared: ({ percent, isMore }, weekday, until) =>
    percent === null
      ? `O mesmo que ${weekday} até as ${until}.`
      : `${percent} a ${isMore ? 'mais' : 'menos'} que ${weekday} até as ${until}.`,
  weekBefore: 'uma semana antes',
  until: (time) => `Até as ${time}`,
  hour: 'Hora',
  orders: 'Pedidos',
  amount: 'Valor',
  asTable: 'O mesmo em tabela',
};
