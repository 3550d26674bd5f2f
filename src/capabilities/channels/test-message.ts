import { randomUUID } from 'node:crypto';
import type { Language } from '../../platform/http/fields/languages.js';
import type { Message } from './channel.js';

const WORDS: Readonly<
  Record<Language, { readonly title: string; readonly confirm: string; readonly webhook: string }>
> = {
  en: {
    title: 'Test message',
    confirm:
      'Alerts of the terminal-POS relay arrive here once you have confirmed this. If you did not ask for it, ignore it.',
    webhook: 'Alerts of this restaurant arrive here.',
  },
  'pt-BR': {
    title: 'Mensagem de teste',
    confirm:
      'Os alertas do relay terminal-POS chegam aqui assim que você confirmar. Se você não pediu esta mensagem, ignore-a.',
    webhook: 'Os alertas deste restaurante chegam aqui.',
  },
};

/** The message that confirms a device or an address (G21). @param token of the link, behind its `#`: what stands there is sent to no server */
export function confirmMessage(language: Language, token: string): Message {
  const { title, confirm } = WORDS[language];
  return messageOf(title, confirm, `/console/account#confirm=${token}`, 'test');
}

/** The message that confirms a webhook: its answer does (G21). */
export function webhookTestMessage(restaurantId: string): Message {
  const { title, webhook } = WORDS.en;
  return messageOf(title, webhook, `/console/r/${restaurantId}`, 'test', { type: 'test', restaurantId });
}

function messageOf(title: string, text: string, path: string, topic: string, fields = {}): Message {
  return { id: randomUUID(), topic, title, text, path, fields };
}
