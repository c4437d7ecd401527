import { Type } from '../../route-plugin.ts';

export const conversationParams = Type.Object({ conversationId: Type.String({ maxLength: 500 }) });
