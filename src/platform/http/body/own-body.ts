import { type CustomDecorator, SetMetadata } from '@nestjs/common';

/** The metadata of {@link ReadsOwnBody}. */
export const OWN_BODY = 'own-body';

/** A route with a guard of its own, which comes after BodyGuard: its handler calls `acceptedBody`, so that an unauthenticated caller gets a 401 for any body. */
export const ReadsJsonLater = (): CustomDecorator => SetMetadata(OWN_BODY, '');

/**
 * A route that reads its body itself, as a stream, and no JSON. BodyGuard then checks the media type only, and leaves the body unread: the
 * route has to bound what it reads.
 * @param mediaType in lower case, without parameters
 */
export const ReadsOwnBody = (mediaType: string): CustomDecorator => SetMetadata(OWN_BODY, mediaType);
