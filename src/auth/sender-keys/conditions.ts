import { addConditions, type ConditionDetails, type WordsByLanguage } from '../../platform/conditions/condition.js';

/** Whether the key has expired, by this machine's clock. */
const hasExpired = ({ expiresAt }: ConditionDetails) => expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();

const closed = {
  en: (name: string) => `the key ${name} was replaced or revoked, or is not used any more`,
  'pt-BR': (name: string) => `a chave ${name} foi trocada ou revogada, ou não é mais usada`,
};

const EXPIRES: WordsByLanguage = {
  en: {
    title: (_, name, when) => `the terminals' key ${name} expires on ${when}`,
    closed: closed.en,
    help: 'Replace it in the set-up, and enter the new key in the terminals before. Then no sale is refused.',
  },
  'pt-BR': {
    title: (_, name, when) => `a chave ${name} dos terminais expira em ${when}`,
    closed: closed['pt-BR'],
    help: 'Troque a chave na configuração, e informe a nova nos terminais antes disso. Assim nenhuma venda é recusada.',
  },
};

const EXPIRED: WordsByLanguage = {
  en: {
    title: (_, name) => `the key ${name} has expired, its terminals send no sales`,
    closed: closed.en,
    help: 'Make a new key in the set-up, enter it in the terminals, and let them send again the sales that were refused and that nobody has entered in the till by hand. Then revoke the old key.',
  },
  'pt-BR': {
    title: (_, name) => `a chave ${name} expirou, os terminais dela não enviam vendas`,
    closed: closed['pt-BR'],
    help: 'Crie uma nova chave na configuração, informe-a nos terminais, e faça-os enviar de novo as vendas recusadas que ninguém lançou no caixa à mão. Depois revogue a antiga.',
  },
};

addConditions({
  kind: 'KEY_EXPIRES',
  meaning: 'a sender key expires within a week, or has expired in use',
  select: `SELECT restaurant_id, NULL, 1, CASE WHEN expires_at <= now() THEN expires_at END, id::text,
      jsonb_build_object('name', name, 'keyId', key_id, 'expiresAt', expires_at)
    FROM ending_sender_keys WHERE (SELECT mine FROM turn)`,
  isSlow: (details) => !hasExpired(details),
  words: (details) => (hasExpired(details) ? EXPIRED : EXPIRES),
});
