import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Copyable } from '../../design/copy.js';
import { Answer, ErrorText } from '../../design/feedback.js';
import { dateIn, useFormats } from '../../i18n/formats.js';
import { useSharedTexts } from '../../i18n/shared.js';
import type { OwnRestaurant, Role } from '../../session/restaurants.js';
import { rolesUpTo } from './people-api.js';
import { useTexts } from './texts.js';

/** Creates an invitation. @returns its link, which cannot be read again */
export async function invite(restaurantId: string, email: string, role: Role): Promise<string> {
  const params = { path: { restaurantId } };
  const { data } = await answerOf(
    api.POST('/restaurants/{restaurantId}/invitations', { params, body: { email, role } }),
  );
  return new URL(data.link, location.origin).href;
}

/** The link of a new invitation. */
export function InvitationLink({ link, email }: { readonly link: string; readonly email: string }) {
  const { people: texts } = useTexts();
  return (
    <div role="status">
      <p>{texts.invited(email)}</p>
      <Copyable text={link} />
    </div>
  );
}

/** The open invitations. */
export function Invitations({ restaurant }: { readonly restaurant: OwnRestaurant }) {
  const { people: texts } = useTexts();
  const { roles } = useSharedTexts();
  const { shortDay } = useFormats();
  const queries = useQueryClient();
  const { id: restaurantId, timezone, role: own } = restaurant;
  const queryKey = ['people', restaurantId, 'invitations'];
  const invitations = useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const params = { path: { restaurantId } };
      return (await answerOf(api.GET('/restaurants/{restaurantId}/invitations', { params, signal }))).invitations;
    },
  });
  const revoking = useMutation({
    mutationFn: (invitationId: string) => {
      const params = { path: { restaurantId, invitationId } };
      return answerOf(api.DELETE('/restaurants/{restaurantId}/invitations/{invitationId}', { params }));
    },
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
  if (invitations.data?.length === 0) return null;
  return (
    <div className="stack">
      <h3>{texts.invitations}</h3>
      <Answer query={invitations} lines={1}>
        {(found) => (
          <ul className="plain-list">
            {found.map(({ id, email, role, expiresAt }) => (
              <li key={id} className="row">
                <span>
                  {email} <span className="quiet">{roles[role]}</span>{' '}
                  <span className="fine">{texts.until(shortDay(dateIn(timezone, expiresAt)))}</span>
                </span>
                {rolesUpTo(own).includes(role) && (
                  <Button
                    aria-label={`${texts.revoke}: ${email}`}
                    busy={revoking.isPending}
                    onClick={() => revoking.mutate(id)}
                  >
                    {texts.revoke}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Answer>
      {revoking.error && <ErrorText error={revoking.error} />}
    </div>
  );
}
