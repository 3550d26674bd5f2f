export const en = {
  title: 'Your invitation',
  offer: (restaurant: string, role: string) => `You are invited to ${restaurant}, as ${role}.`,
  as: (email: string) => `For ${email}.`,
  other: (email: string, own: string) =>
    `It is for ${email}, and you are signed in as ${own}. Sign out to accept it with the right account.`,
  name: 'Your name',
  newPassword: 'Choose a password',
  passwordHint: '8 characters to 72 bytes.',
  guessable: 'Many people use this password, or it is your email. Choose another one.',
  join: 'Create the account and accept',
  accept: 'Accept',
  signInAndAccept: 'Sign in and accept',
  ended: 'This invitation is not valid or has expired. Ask for a new one.',
  already: 'You are in this restaurant already.',
};
