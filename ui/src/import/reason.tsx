import { ForeignText } from '../text/foreign-text.tsx';
import { words } from '../words/words.ts';
import type { Refusal } from './statements.ts';

/** Why a record is not stored, by a rule of this page or in the words of the service. */
export function Reason({ reason }: { readonly reason: Refusal | string }) {
  if (typeof reason === 'string') return <ForeignText text={reason} />;
  return (
    <>
      {words().import.rules[reason.rule]}{' '}
      {reason.detail !== undefined && <ForeignText text={reason.detail} />}
    </>
  );
}
