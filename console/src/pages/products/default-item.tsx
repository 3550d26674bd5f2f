import { answerOf, api } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { Button } from '../../design/button.js';
import { Field } from '../../design/field.js';
import { useForm } from '../../design/form.js';
import { Outcome } from '../../design/outcome.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { useTexts } from './texts.js';

/** Sets the code at the POS of items that have none (I3). */
export function DefaultItem({ restaurant: { id, defaultItemCode } }: { readonly restaurant: OwnRestaurant }) {
  const { fallback: texts, set } = useTexts();
  const { field, props, sending, rest } = useForm({
    initial: { defaultItemCode: defaultItemCode ?? '' },
    send: (values) =>
      answerOf(
        api.PATCH('/restaurants/{restaurantId}', {
          params: { path: { restaurantId: id } },
          body: { defaultItemCode: values.defaultItemCode.trim() || null },
        }),
      ),
    onSent: () => queries.invalidateQueries(),
    words: { defaultItemCode: texts.codeError },
  });
  return (
    <form {...props}>
      <Field label={texts.label} maxLength={255} autoComplete="off" spellCheck={false} {...field('defaultItemCode')} />
      <Outcome done={sending.isSuccess && texts.saved} error={rest} />
      <div className="row">
        <Button type="submit" busy={sending.isPending}>
          {set.save}
        </Button>
      </div>
    </form>
  );
}
