import { useQuery } from '@tanstack/react-query';
import { answerOf, api, type View } from '../api/client.js';
import { useSharedTexts } from '../i18n/shared.js';
import { useHas, useSession } from './session.js';

type MayResend = View<'MayResendView'>;

/**
 * Whether the user may send orders of a restaurant again, who else may, and how to reach the operator (R36). A relay that has not loaded it
 * is as one with RESEND=off.
 * @param enabled whether it is asked at all
 */
export function useMayResend(restaurantId: string, enabled = true) {
  const has = useHas();
  const { data: session } = useSession();
  return useQuery({
    queryKey: ['resend', restaurantId],
    queryFn: async ({ signal }): Promise<MayResend> => {
      if (!has('resend'))
        return { allowed: false, resend: 'off', people: [], operatorContact: session?.operatorContact ?? null };
      const params = { path: { restaurantId } };
      return (await answerOf(api.GET('/restaurants/{restaurantId}/resend', { params, signal }))).data;
    },
    staleTime: 60_000,
    enabled,
  });
}

/** For a user who may not: who of the restaurant may; if nobody may, how to reach the operator. */
export function WhoMayResend({ may }: { readonly may: MayResend }) {
  const { resend: texts, roles } = useSharedTexts();
  if (may.people.length > 0)
    return (
      <p className="who-may">
        {texts.who}{' '}
        {may.people.map(({ name, role }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: people may have the same name and role
          <span key={place}>
            {place > 0 && ', '}
            {name === null ? (
              roles[role]
            ) : (
              <>
                <bdi className="named">{name}</bdi> ({roles[role]})
              </>
            )}
          </span>
        ))}
      </p>
    );
  return (
    <p className="who-may">
      {texts.operator}
      {may.operatorContact !== null && (
        <>
          {' '}
          <Contact contact={may.operatorContact} />
        </>
      )}
    </p>
  );
}

/** An address that the browser can open becomes a link. */
function Contact({ contact }: { readonly contact: string }) {
  const shown = <bdi className="named">{contact.replace(/^(mailto|tel):/, '')}</bdi>;
  return /^(mailto:|tel:|https?:\/\/)/.test(contact) ? <a href={contact}>{shown}</a> : shown;
}
