import { useMutation } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Copyable } from '../../design/copy.js';
import { Outcome } from '../../design/outcome.js';
import { useHas } from '../../session/session.js';
import { type LinkedUser, personName } from './people-api.js';
import { useTexts } from './texts.js';

/** Makes a link with which a person sets a new password. */
export function PasswordLink({ person, restaurantId }: { readonly person: LinkedUser; readonly restaurantId: string }) {
  const { people: texts } = useTexts();
  const has = useHas();
  const making = useMutation({
    mutationFn: async () => {
      const params = { path: { restaurantId, userId: person.userId } };
      const made = await answerOf(api.POST('/restaurants/{restaurantId}/users/{userId}/password-links', { params }));
      return new URL(made.data.link, location.origin).href;
    },
  });
  if (!has('password-links')) return null;
  return (
    <div className="stack">
      <Button
        aria-label={`${texts.passwordLink}: ${personName(person)}`}
        busy={making.isPending}
        onClick={() => making.mutate()}
      >
        {texts.passwordLink}
      </Button>
      <Outcome error={making.error} known={{ NOT_ONLY_YOURS: texts.notOnlyYours }}>
        {making.data && (
          <>
            <p>{texts.passwordLinkMade(personName(person))}</p>
            <Copyable text={making.data} />
          </>
        )}
      </Outcome>
    </div>
  );
}
