import { BACKLOG_MINUTES, BACKLOG_ORDERS } from '../../outbox/conditions.sql.js';
import { addConditions, type ConditionDetails, upTo } from '../../platform/conditions/condition.js';
import { operatorsPage } from '../../platform/http/console-paths.js';

/** The most restaurants that an alert names. */
const NAMED = 10;

const ordersEn = (count = 0) => (count === 1 ? '1 order waits' : `${count} orders wait`);
const ordersPt = (count = 0) => (count === 1 ? '1 pedido espera' : `${count} pedidos esperam`);
const named = ({ names = [] }: ConditionDetails, count: number) =>
  names.join(', ') + (count > names.length ? ', …' : '');
const seconds = ({ ms }: ConditionDetails) => ((ms ?? 0) / 1_000).toFixed(1);

// what concerns many restaurants: only the platform can do something about it (G50 to G53)
addConditions(
  {
    kind: 'VENDOR_DOWN',
    meaning: 'the POS fails with the same answer for restaurants of three or more founders',
    select: `SELECT NULL::uuid, cause, restaurants, NULL::timestamptz, cause || ':' || short,
      jsonb_build_object('short', short, 'answer', answer, 'orders', orders, 'since', since) FROM vendor`,
    covers: {
      select: `SELECT restaurant_id, party, 1 FROM refusing WHERE refusing.cause = found.cause AND refusing.short = found.details->>'short'`,
      newRoundFrom: 1,
    },
    isUrgent: true,
    platformPage: operatorsPage(),
    words: ({ short = '', answer = '', orders }) => ({
      en: {
        title: (n, _name, when) => `The POS of ${n} restaurants fails (${short}): ${ordersEn(orders)}, since ${when}`,
        closed: () => `Solved: the POS no longer fails with ${short} for restaurants of three founders or more`,
        help: `It answers: ${answer}. Call its vendor. The orders are sent when it is back. The people of the restaurants are not notified of it: they can do nothing about it.`,
      },
      'pt-BR': {
        title: (n, _name, when) => `O PDV de ${n} restaurantes falha (${short}): ${ordersPt(orders)}, desde ${when}`,
        closed: () => `Resolvido: o PDV não falha mais com ${short} para restaurantes de três fundadores ou mais`,
        help: `Ele responde: ${answer}. Chame o fornecedor. Os pedidos são enviados quando ele voltar. As pessoas dos restaurantes não são avisadas disso: não podem fazer nada a respeito.`,
      },
    }),
  },
  {
    kind: 'SIGN_IN',
    meaning: 'the POS refuses the sign-in of restaurants',
    select: `SELECT NULL::uuid, 'sign_in', count(*), NULL::timestamptz, 'all',
        jsonb_build_object('names', to_jsonb((array_agg(left(name, 100) ORDER BY since, name))[1:${NAMED}]), 'orders', sum(count),
          'since', min(since), 'answer', mode() WITHIN GROUP (ORDER BY answer))
      FROM refusing JOIN restaurants ON id = restaurant_id WHERE cause = 'sign_in' HAVING count(*) > 0`,
    covers: { select: `SELECT restaurant_id, party, 1 FROM refusing WHERE cause = 'sign_in'`, newRoundFrom: 1 },
    platformPage: operatorsPage(),
    words: (details) => ({
      en: {
        title: (n) =>
          `The POS refuses the sign-in of ${n === 1 ? '1 restaurant' : `${n} restaurants`}: ${named(details, n)}`,
        closed: () => 'Over: no order waits for a refused sign-in any more',
        help: `${ordersEn(details.orders)}. Check partner id and secret on the set-up page of each.`,
      },
      'pt-BR': {
        title: (n) =>
          `O PDV recusa o acesso de ${n === 1 ? '1 restaurante' : `${n} restaurantes`}: ${named(details, n)}`,
        closed: () => 'Encerrado: nenhum pedido espera mais por um acesso recusado',
        help: `${ordersPt(details.orders)}. Verifique parceiro e segredo na página de configuração de cada um.`,
      },
    }),
  },
  {
    kind: 'BACKLOG',
    meaning: '100 or more orders have been due for a minute, and the relay has not sent them',
    select: `SELECT NULL::uuid, NULL, orders, NULL::timestamptz, 'all',
      jsonb_build_object('orders', orders, 'since', since, 'minutes', ${BACKLOG_MINUTES}, 'ms', (SELECT max(database_ms) FROM slow)) FROM backlog`,
    // orders of others become due all the time while the relay is slow: a few of them are no news
    covers: {
      select: 'SELECT restaurant_id, party, orders FROM due_of',
      newRoundFrom: BACKLOG_ORDERS,
    },
    isUrgent: true,
    platformPage: operatorsPage(),
    words: ({ minutes, ms }) => ({
      en: {
        title: (n, _name, when) => `${upTo(n)} orders are due and not sent; the oldest since ${when}`,
        closed: () => 'Over: the orders that were due are sent, or wait for their POS',
        help: ms
          ? 'The database is slow: mend that first. More instances would make it slower.'
          : minutes === null || minutes === undefined
            ? 'None of them is sent now. Check that instances deliver (WORKER_ENABLED), and the database.'
            : `It takes about ${minutes} min at the present pace. More instances, or OUTBOX_PACE=eager, make it quicker.`,
      },
      'pt-BR': {
        title: (n, _name, when) => `${upTo(n)} pedidos já deviam ter sido enviados; o mais antigo desde ${when}`,
        closed: () => 'Encerrado: os pedidos atrasados foram enviados, ou esperam pelo seu PDV',
        help: ms
          ? 'O banco de dados está lento: corrija isso primeiro. Mais instâncias o deixariam mais lento.'
          : minutes === null || minutes === undefined
            ? 'Nenhum deles está sendo enviado. Verifique se há instâncias que entregam (WORKER_ENABLED), e o banco de dados.'
            : `Leva cerca de ${minutes} min no ritmo atual. Mais instâncias, ou OUTBOX_PACE=eager, aceleram.`,
      },
    }),
  },
  {
    kind: 'DATABASE_SLOW',
    meaning: 'three checks of the database in a row took more than a second',
    select: `SELECT NULL::uuid, NULL, count(*), NULL::timestamptz, 'all',
      jsonb_build_object('name', left((array_agg(id ORDER BY database_ms DESC))[1], 400), 'ms', max(database_ms)) FROM slow HAVING count(*) > 0`,
    isUrgent: true,
    platformPage: operatorsPage(),
    words: (details) => ({
      en: {
        title: () => `The database takes ${seconds(details)} s to answer: sales and orders are late`,
        closed: () => 'Solved: the database answers quickly again',
        help: 'Look for long statements, locks and the load of its machine. docs/operations.md says how.',
      },
      'pt-BR': {
        title: () => `O banco de dados leva ${seconds(details)} s para responder: vendas e pedidos atrasam`,
        closed: () => 'Resolvido: o banco de dados voltou a responder rápido',
        help: 'Procure comandos longos, bloqueios e a carga da máquina. docs/operations.md diz como.',
      },
    }),
  },
);
