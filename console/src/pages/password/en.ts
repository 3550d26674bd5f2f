export const en = {
  title: 'A new password',
  ask: 'Enter the email of your account. The relay sends a link to it, with which you set a new password.',
  send: 'Send the link',
  sent: (email: string) =>
    `If there is an account for ${email}, a mail is on its way. Its link is valid for one hour. Look in the spam folder too.`,
  noMail: 'This relay sends no mail. Ask an owner of your restaurant for a link, or the operator of the relay.',
  tooMany: 'Too many requests. Try again in an hour.',
  set: 'Set the password',
  newPassword: 'Choose a new password',
  hint: '8 to 72 characters; an accent counts as two. You are signed out everywhere else.',
  guessable: 'Many people use this password, or it is your email. Choose another one.',
  ended: 'This link was used, or has expired. Ask for a new one.',
  again: 'Ask for a new link',
  back: 'Back to the sign-in',
};
