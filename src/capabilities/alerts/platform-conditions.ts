import { LOST_AFTER } from '../../outbox/conditions.sql.js';
import { addConditions } from '../../platform/conditions/condition.js';
import { AHEAD } from '../../platform/database/clock.js';
import { operatorsPage } from '../../platform/http/console-paths.js';

addConditions(
  {
    kind: 'NOTHING_SENT',
    meaning: 'no process that delivers is alive',
    select: `SELECT NULL::uuid, NULL, 1, NULL::timestamptz, 'all', jsonb_build_object('name', left(id, 400), 'since', last_seen_at) FROM stopped`,
    isUrgent: true,
    platformPage: operatorsPage(),
    words: ({ name }) => ({
      en: {
        title: () => 'The relay sends nothing: no process that delivers is alive',
        closed: () => 'Solved: a process delivers again',
        help: `Start a relay with WORKER_ENABLED=true.${name ? ` Look in the log of ${name} why it stopped.` : ''} Sales are still stored. Orders are sent automatically then: nobody enters them by hand.`,
      },
      'pt-BR': {
        title: () => 'O relay não envia nada: nenhum processo que entrega está vivo',
        closed: () => 'Resolvido: um processo voltou a entregar',
        help: `Inicie um relay com WORKER_ENABLED=true.${name ? ` Veja no log de ${name} por que ele parou.` : ''} As vendas continuam sendo guardadas. Os pedidos são enviados sozinhos depois: ninguém os lança no caixa à mão.`,
      },
    }),
  },
  {
    kind: 'INSTANCE_LOST',
    meaning: 'a process of the relay ended without a stop',
    // a process that was started again on its host is not missing
    select: `SELECT NULL::uuid, NULL, 1, NULL::timestamptz, left(id, 400), jsonb_build_object('name', left(id, 400))
      FROM relay_instances lost
      WHERE last_seen_at NOT BETWEEN now() - ${LOST_AFTER} AND ${AHEAD} AND (SELECT mine FROM turn)
        AND NOT EXISTS (SELECT FROM relay_instances other WHERE other.host = lost.host AND other.last_seen_at BETWEEN now() - ${LOST_AFTER} AND ${AHEAD}
                        AND other.started_at >= lost.last_seen_at - ${LOST_AFTER})`,
    // that nothing is sent says it
    folded: 'coalesce((SELECT left(id, 400) FROM stopped) = object, false)',
    isUrgent: true,
    words: () => ({
      en: {
        title: (_n, name) => `The relay process ${name} ended without a stop`,
        closed: (name) => `Over: ${name} is back, another process took its place, or none did for a day`,
        help: 'Look at the log of its host. Other processes take over what it had claimed.',
      },
      'pt-BR': {
        title: (_n, name) => `O processo ${name} do relay terminou sem ser parado`,
        closed: (name) => `Encerrado: ${name} voltou, outro processo tomou o lugar, ou nenhum o fez em um dia`,
        help: 'Veja o log do servidor. Outros processos assumem o trabalho.',
      },
    }),
  },
  {
    // each instance sees it by itself (G10)
    kind: 'DATABASE',
    meaning: 'no sale could be stored',
    isUrgent: true,
    words: () => ({
      en: {
        title: () => 'The relay cannot store sales: its database does not answer',
        closed: () => 'Solved: the relay stores sales again',
        help: 'Terminals get 503 and send again. Check the database.',
      },
      'pt-BR': {
        title: () => 'O relay não consegue guardar vendas: o banco de dados não responde',
        closed: () => 'Resolvido: o relay guarda vendas novamente',
        help: 'Os terminais recebem 503 e enviam de novo. Verifique o banco de dados.',
      },
    }),
  },
);
