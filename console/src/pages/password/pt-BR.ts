import type { Same } from '../../i18n/texts.js';
import type { en } from './en.js';

export const ptBR: Same<typeof en> = {
  title: 'Uma nova senha',
  ask: 'Informe o e-mail da sua conta. O relay envia para ele um link, com o qual você define uma nova senha.',
  send: 'Enviar o link',
  sent: (email) =>
    `Se houver uma conta para ${email}, um e-mail está a caminho. O link vale por uma hora. Veja também a pasta de spam.`,
  noMail: 'Este relay não envia e-mails. Peça um link a um proprietário do seu restaurante ou ao operador do relay.',
  tooMany: 'Pedidos demais. Tente de novo em uma hora.',
  set: 'Definir a senha',
  newPassword: 'Escolha uma nova senha',
  hint: 'De 8 a 72 caracteres; um acento conta como dois. Você sai de todos os outros lugares.',
  guessable: 'Muitas pessoas usam esta senha, ou ela é o seu e-mail. Escolha outra.',
  ended: 'Este link já foi usado ou expirou. Peça um novo.',
  again: 'Pedir um novo link',
  back: 'Voltar à entrada',
};
