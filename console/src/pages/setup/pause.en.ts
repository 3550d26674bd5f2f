import { plural } from '../../i18n/texts.js';

export const pauseEn = {
  title: 'Pause the orders',
  intro:
    'While the restaurant is paused, no order is sent to the POS. Sales are stored as ever. When the pause ends, the orders are sent, the oldest first, one a second.',
  reason: 'Reason, for colleagues',
  reasonError: 'Say why, in 1 to 200 characters.',
  hours: 'It ends by itself after',
  forHours: plural('en', { one: '# hour', other: '# hours' }),
  action: 'Pause',
};
