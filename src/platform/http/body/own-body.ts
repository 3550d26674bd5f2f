import { type CustomDecorator, SetMetadata } from '@nestjs/common';

/** The metadata of {@link ReadsOwnBody}. */
export const OWN_BODY = 'own-body';

/**
 * A route that reads its body itself, as a stream, and no JSON. BodyGuard then checks the media type only, and leaves the body unread: the
 * route has to bound what it reads.
 * @param mediaType in lower case, without parameters
 */
export const ReadsOwnBody = (mediaType: string): CustomDecorator => SetMetadata(OWN_BODY, mediaType);
