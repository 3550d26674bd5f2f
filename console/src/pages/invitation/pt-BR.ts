import type { Same } from '../../i18n/texts.js';
import type { en } from './en.js';

export const ptBR: Same<typeof en> = {
  title: 'Seu convite',
  offer: (restaurant, role) => `Você foi convidado para ${restaurant}, como ${role}.`,
  as: (email) => `Para ${email}.`,
  other: (email, own) => `O convite é para ${email}, e você entrou como ${own}. Saia para aceitá-lo com a conta certa.`,
  how: 'Sua conta',
  isNew: 'Ainda não tenho conta',
  isKnown: 'Já tenho conta',
  exists: 'Já existe uma conta com este e-mail. Escolha “Já tenho conta”.',
  name: 'Seu nome',
  newPassword: 'Escolha uma senha',
  passwordHint: 'De 8 a 72 caracteres; um acento conta como dois.',
  guessable: 'Muitas pessoas usam esta senha, ou ela é o seu e-mail. Escolha outra.',
  join: 'Criar a conta e aceitar',
  accept: 'Aceitar',
  signInAndAccept: 'Entrar e aceitar',
  ended: 'Este convite não vale, ou não vale mais. Peça um novo.',
  already: 'Você já está neste restaurante.',
};
