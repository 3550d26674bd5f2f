import { plural } from '../../i18n/texts.js';
import type { pauseEn } from './pause.en.js';

export const pausePtBR: typeof pauseEn = {
  title: 'Pausar os pedidos',
  intro:
    'Enquanto o restaurante estiver pausado, nenhum pedido é enviado ao PDV. As vendas são guardadas como sempre. Quando a pausa termina, os pedidos são enviados, o mais antigo primeiro, um por segundo.',
  reason: 'Motivo, para os colegas',
  reasonError: 'Diga o motivo, com 1 a 200 caracteres.',
  hours: 'Termina sozinha depois de',
  forHours: plural('pt-BR', { one: '# hora', other: '# horas' }),
  action: 'Pausar',
};
