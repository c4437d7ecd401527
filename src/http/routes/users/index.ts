import type { Route } from '../../route-plugin.ts';
import { exportUserData } from './export-user-data.ts';
import { getCurrentUser } from './get-current-user.ts';
import { getUsage } from './get-usage.ts';

export const userRoutes: readonly Route[] = [getCurrentUser, getUsage, exportUserData];
