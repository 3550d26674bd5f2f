import type { Same } from '../../i18n/texts.js';
import type { en } from './en.js';

export const ptBR: Same<typeof en> = {
  title: 'Conta',
  you: 'Você',
  email: 'E-mail',
  id: 'Id de usuário',
  idHelp: 'Passe este id ao proprietário de um restaurante: ele precisa dele para incluir você.',
  platformAdmin: 'Administrador da plataforma',
  restaurants: 'Seus restaurantes',
  password: 'Trocar a senha',
  current: 'Senha atual',
  next: 'Nova senha',
  nextHint: 'Pelo menos 8 caracteres.',
  again: 'Nova senha, mais uma vez',
  differ: 'As duas não são iguais.',
  wrong: 'Esta não é a sua senha atual.',
  same: 'Esta já é a sua senha. Escolha outra.',
  save: 'Trocar a senha',
  saved: 'A senha foi trocada. Você continua conectado aqui, e em nenhum outro lugar.',
};
