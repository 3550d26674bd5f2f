import { ApiProperty } from '@nestjs/swagger';

/** Body of a success: a text for people. */
export class MessageView {
  @ApiProperty() message: string;
}

/** A {@link MessageView} with `data`. */
export function MessageWith<Data extends object>(Data: new () => Data): new () => MessageView & { data: Data } {
  class WithData extends MessageView {
    @ApiProperty({ type: Data }) data: Data;
  }
  return WithData;
}
