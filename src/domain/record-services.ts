import { ArtifactService } from './artifacts/artifact-service.ts';
import { ConversationService } from './conversations/conversation-service.ts';
import { EntityService, type EntityServiceDeps } from './entities/entity-service.ts';
import { FactService } from './facts/fact-service.ts';
import { FeedbackService } from './feedback/feedback-service.ts';
import { ImportService } from './imports/import-service.ts';
import { JobService } from './jobs/job-service.ts';
import { NarrativeService } from './narratives/narrative-service.ts';
import { BehaviourService } from './patterns/behaviour-service.ts';
import { PatternDetection } from './patterns/pattern-detection.ts';
import { PatternService } from './patterns/pattern-service.ts';
import { RelationshipDetectionService } from './relationships/detect-relationships.ts';
import { RelationshipExplanationService } from './relationships/explain-relationship.ts';
import { RelationshipService } from './relationships/relationship-service.ts';
import { RelationshipReviewService } from './relationships/review-relationships.ts';
import type { WriteDeps } from './shared/write.ts';
import { TopicService } from './topics/topic-service.ts';
import type { AfterDelete } from './trash/trash.ts';
import type { TrashService } from './trash/trash-service.ts';
import { WebhookService, type WebhookServiceDeps } from './webhooks/webhook-service.ts';

interface RecordServiceDeps extends WriteDeps {
  readonly afterDelete: AfterDelete;
  readonly trash: TrashService;
  readonly naming: EntityServiceDeps['naming'];
  readonly allowsPrivate: WebhookServiceDeps['allowsPrivate'];
}

/** Services of records that need only the stores. */
export const recordServices = (deps: RecordServiceDeps) => ({
  conversations: new ConversationService(deps),
  relationships: new RelationshipService(deps),
  relationshipDetection: new RelationshipDetectionService(deps),
  relationshipReview: new RelationshipReviewService(deps),
  relationshipExplanations: new RelationshipExplanationService(deps),
  topics: new TopicService(deps),
  facts: new FactService(deps),
  entities: new EntityService(deps),
  feedback: new FeedbackService(deps),
  artifacts: new ArtifactService(deps),
  imports: new ImportService(deps),
  userJobs: new JobService(deps),
  narratives: new NarrativeService(deps),
  patterns: new PatternService(deps),
  patternDetection: new PatternDetection(deps),
  behaviour: new BehaviourService(deps),
  webhooks: new WebhookService(deps),
});

export type RecordServices = Readonly<ReturnType<typeof recordServices>>;
