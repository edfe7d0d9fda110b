// Code generated from the OpenAPI document by github.com/oapi-codegen/oapi-codegen/v2 v2.8.2. DO NOT EDIT.
// Made of sha256:353cebd118164ae7114499910191acf00ad37a42e81ce899c77d18d46b1f420b.

package client

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/google/uuid"
)

// Defines values for AIEvidenceField.
const (
	AIEvidenceFieldDeck     AIEvidenceField = "deck"
	AIEvidenceFieldFounders AIEvidenceField = "founders"
	AIEvidenceFieldName     AIEvidenceField = "name"
	AIEvidenceFieldSource   AIEvidenceField = "source"
	AIEvidenceFieldStatus   AIEvidenceField = "status"
	AIEvidenceFieldSummary  AIEvidenceField = "summary"
)

// Defines values for AccountRole.
const (
	AccountRoleAdmin  AccountRole = "admin"
	AccountRoleMember AccountRole = "member"
	AccountRoleOwner  AccountRole = "owner"
)

// Defines values for AccountChangeAction.
const (
	AccountChangeActionCreated AccountChangeAction = "created"
	AccountChangeActionDeleted AccountChangeAction = "deleted"
	AccountChangeActionUpdated AccountChangeAction = "updated"
)

// Defines values for AttachmentAttachmentType.
const (
	AttachmentAttachmentTypeFile AttachmentAttachmentType = "file"
	AttachmentAttachmentTypeLink AttachmentAttachmentType = "link"
)

// Defines values for ChangeKind.
const (
	ChangeKindCompany        ChangeKind = "company"
	ChangeKindCompanyStatus  ChangeKind = "company_status"
	ChangeKindEmail          ChangeKind = "email"
	ChangeKindFormSubmission ChangeKind = "form_submission"
	ChangeKindMeetingMinutes ChangeKind = "meeting_minutes"
)

// Defines values for ChangeType.
const (
	ChangeTypeCompanyCreated        ChangeType = "company.created"
	ChangeTypeCompanyDeleted        ChangeType = "company.deleted"
	ChangeTypeCompanyStatusCreated  ChangeType = "company_status.created"
	ChangeTypeCompanyStatusDeleted  ChangeType = "company_status.deleted"
	ChangeTypeCompanyStatusUpdated  ChangeType = "company_status.updated"
	ChangeTypeCompanyUpdated        ChangeType = "company.updated"
	ChangeTypeEmailCreated          ChangeType = "email.created"
	ChangeTypeEmailDeleted          ChangeType = "email.deleted"
	ChangeTypeEmailUpdated          ChangeType = "email.updated"
	ChangeTypeFormSubmissionCreated ChangeType = "form_submission.created"
	ChangeTypeFormSubmissionDeleted ChangeType = "form_submission.deleted"
	ChangeTypeFormSubmissionUpdated ChangeType = "form_submission.updated"
	ChangeTypeMeetingMinutesCreated ChangeType = "meeting_minutes.created"
	ChangeTypeMeetingMinutesDeleted ChangeType = "meeting_minutes.deleted"
	ChangeTypeMeetingMinutesUpdated ChangeType = "meeting_minutes.updated"
)

// Defines values for CompanySourceThrough.
const (
	CompanySourceThroughEmail          CompanySourceThrough = "email"
	CompanySourceThroughFormSubmission CompanySourceThrough = "form_submission"
	CompanySourceThroughImport         CompanySourceThrough = "import"
	CompanySourceThroughPerson         CompanySourceThrough = "person"
)

// Defines values for CreateInvitationBodyRole.
const (
	CreateInvitationBodyRoleAdmin  CreateInvitationBodyRole = "admin"
	CreateInvitationBodyRoleMember CreateInvitationBodyRole = "member"
	CreateInvitationBodyRoleOwner  CreateInvitationBodyRole = "owner"
)

// Defines values for CreateSavedViewBodySource.
const (
	CreateSavedViewBodySourceEmail    CreateSavedViewBodySource = "email"
	CreateSavedViewBodySourceEvent    CreateSavedViewBodySource = "event"
	CreateSavedViewBodySourceForm     CreateSavedViewBodySource = "form"
	CreateSavedViewBodySourceManual   CreateSavedViewBodySource = "manual"
	CreateSavedViewBodySourceOther    CreateSavedViewBodySource = "other"
	CreateSavedViewBodySourceReferral CreateSavedViewBodySource = "referral"
	CreateSavedViewBodySourceWebsite  CreateSavedViewBodySource = "website"
)

// Defines values for FieldType.
const (
	FieldTypeBoolean     FieldType = "boolean"
	FieldTypeDate        FieldType = "date"
	FieldTypeEmail       FieldType = "email"
	FieldTypeMultiSelect FieldType = "multi_select"
	FieldTypeNumber      FieldType = "number"
	FieldTypeSelect      FieldType = "select"
	FieldTypeText        FieldType = "text"
	FieldTypeURL         FieldType = "url"
)

// Defines values for FormSubmissionIntegrationType.
const (
	FormSubmissionIntegrationTypeIntegrationA FormSubmissionIntegrationType = "integration_a"
	FormSubmissionIntegrationTypeIntegrationB FormSubmissionIntegrationType = "integration_b"
	FormSubmissionIntegrationTypeManual       FormSubmissionIntegrationType = "manual"
)

// Defines values for GetHealthDataStatus.
const (
	GetHealthDataStatusOk GetHealthDataStatus = "ok"
)

// Defines values for ImportFormat.
const (
	ImportFormatCsv    ImportFormat = "csv"
	ImportFormatEml    ImportFormat = "eml"
	ImportFormatMbox   ImportFormat = "mbox"
	ImportFormatNdjson ImportFormat = "ndjson"
)

// Defines values for ImportKind.
const (
	ImportKindAccount         ImportKind = "account"
	ImportKindCompanies       ImportKind = "companies"
	ImportKindEmails          ImportKind = "emails"
	ImportKindFormSubmissions ImportKind = "form-submissions"
)

// Defines values for ImportStatus.
const (
	ImportStatusCancelled ImportStatus = "cancelled"
	ImportStatusCompleted ImportStatus = "completed"
	ImportStatusFailed    ImportStatus = "failed"
	ImportStatusReceiving ImportStatus = "receiving"
	ImportStatusRunning   ImportStatus = "running"
	ImportStatusUndone    ImportStatus = "undone"
)

// Defines values for ImportUndoStatus.
const (
	ImportUndoStatusCompleted ImportUndoStatus = "completed"
	ImportUndoStatusFailed    ImportUndoStatus = "failed"
	ImportUndoStatusRunning   ImportUndoStatus = "running"
)

// Defines values for IntegrationKind.
const (
	IntegrationKindEmail    IntegrationKind = "email"
	IntegrationKindTally    IntegrationKind = "tally"
	IntegrationKindTypeform IntegrationKind = "typeform"
)

// Defines values for MergeCompanyBodyKeep.
const (
	MergeCompanyBodyKeepBoth   MergeCompanyBodyKeep = "both"
	MergeCompanyBodyKeepInto   MergeCompanyBodyKeep = "into"
	MergeCompanyBodyKeepMerged MergeCompanyBodyKeep = "merged"
)

// Defines values for MergeConflictChoices.
const (
	MergeConflictChoicesBoth   MergeConflictChoices = "both"
	MergeConflictChoicesInto   MergeConflictChoices = "into"
	MergeConflictChoicesMerged MergeConflictChoices = "merged"
)

// Defines values for MergeConflictKeep.
const (
	MergeConflictKeepBoth   MergeConflictKeep = "both"
	MergeConflictKeepInto   MergeConflictKeep = "into"
	MergeConflictKeepMerged MergeConflictKeep = "merged"
)

// Defines values for ReadinessDegraded.
const (
	ReadinessDegradedRedis   ReadinessDegraded = "redis"
	ReadinessDegradedStorage ReadinessDegraded = "storage"
	ReadinessDegradedWorkers ReadinessDegraded = "workers"
)

// Defines values for ReadinessStatus.
const (
	ReadinessStatusDegraded ReadinessStatus = "degraded"
	ReadinessStatusReady    ReadinessStatus = "ready"
)

// Defines values for ReceiptStatus.
const (
	ReceiptStatusDone    ReceiptStatus = "done"
	ReceiptStatusFailed  ReceiptStatus = "failed"
	ReceiptStatusWaiting ReceiptStatus = "waiting"
)

// Defines values for ReceiveHookDataStatus.
const (
	ReceiveHookDataStatusAccepted  ReceiveHookDataStatus = "accepted"
	ReceiveHookDataStatusDuplicate ReceiveHookDataStatus = "duplicate"
)

// Defines values for RestoredFileType.
const (
	RestoredFileTypeEmailAttachment RestoredFileType = "email_attachment"
	RestoredFileTypeEmailMessage    RestoredFileType = "email_message"
	RestoredFileTypeFile            RestoredFileType = "file"
)

// Defines values for Role.
const (
	RoleAdmin  Role = "admin"
	RoleMember Role = "member"
	RoleOwner  Role = "owner"
)

// Defines values for SavedViewColumn.
const (
	SavedViewColumnAssignees  SavedViewColumn = "assignees"
	SavedViewColumnCreatedAt  SavedViewColumn = "created_at"
	SavedViewColumnDeck       SavedViewColumn = "deck"
	SavedViewColumnFounders   SavedViewColumn = "founders"
	SavedViewColumnSource     SavedViewColumn = "source"
	SavedViewColumnStatus     SavedViewColumn = "status"
	SavedViewColumnSummary    SavedViewColumn = "summary"
	SavedViewColumnUpdatedAt  SavedViewColumn = "updated_at"
	SavedViewColumnVisibility SavedViewColumn = "visibility"
)

// Defines values for SavedViewOrder.
const (
	SavedViewOrderAsc  SavedViewOrder = "asc"
	SavedViewOrderDesc SavedViewOrder = "desc"
)

// Defines values for SavedViewSort.
const (
	SavedViewSortCreatedAt SavedViewSort = "created_at"
	SavedViewSortName      SavedViewSort = "name"
	SavedViewSortUpdatedAt SavedViewSort = "updated_at"
)

// Defines values for SharePermissions.
const (
	SharePermissionsFull     SharePermissions = "full"
	SharePermissionsView     SharePermissions = "view"
	SharePermissionsViewDeck SharePermissions = "view_deck"
)

// Defines values for Source.
const (
	SourceEmail    Source = "email"
	SourceEvent    Source = "event"
	SourceForm     Source = "form"
	SourceManual   Source = "manual"
	SourceOther    Source = "other"
	SourceReferral Source = "referral"
	SourceWebsite  Source = "website"
)

// Defines values for UnmergeConflictReason.
const (
	UnmergeConflictReasonChanged UnmergeConflictReason = "changed"
	UnmergeConflictReasonDeleted UnmergeConflictReason = "deleted"
	UnmergeConflictReasonMoved   UnmergeConflictReason = "moved"
	UnmergeConflictReasonRemoved UnmergeConflictReason = "removed"
)

// Defines values for Visibility.
const (
	VisibilityPrivate Visibility = "private"
	VisibilityShared  Visibility = "shared"
	VisibilityTeam    Visibility = "team"
)

// Defines values for WebhookDeliveryState.
const (
	WebhookDeliveryStateDelivered WebhookDeliveryState = "delivered"
	WebhookDeliveryStateFailed    WebhookDeliveryState = "failed"
	WebhookDeliveryStatePending   WebhookDeliveryState = "pending"
)

// Defines values for ListEmailsParamsSortBy.
const (
	ListEmailsParamsSortByCreatedAt ListEmailsParamsSortBy = "created_at"
	ListEmailsParamsSortByUpdatedAt ListEmailsParamsSortBy = "updated_at"
)

// Defines values for ListEmailsParamsSortOrder.
const (
	ListEmailsParamsSortOrderAsc  ListEmailsParamsSortOrder = "asc"
	ListEmailsParamsSortOrderDesc ListEmailsParamsSortOrder = "desc"
)

// Defines values for ListFormSubmissionsParamsSortBy.
const (
	ListFormSubmissionsParamsSortByCreatedAt ListFormSubmissionsParamsSortBy = "created_at"
	ListFormSubmissionsParamsSortByUpdatedAt ListFormSubmissionsParamsSortBy = "updated_at"
)

// Defines values for ListFormSubmissionsParamsSortOrder.
const (
	ListFormSubmissionsParamsSortOrderAsc  ListFormSubmissionsParamsSortOrder = "asc"
	ListFormSubmissionsParamsSortOrderDesc ListFormSubmissionsParamsSortOrder = "desc"
)

// Defines values for ListFormSubmissionsParamsIntegrationType.
const (
	ListFormSubmissionsParamsIntegrationTypeIntegrationA ListFormSubmissionsParamsIntegrationType = "integration_a"
	ListFormSubmissionsParamsIntegrationTypeIntegrationB ListFormSubmissionsParamsIntegrationType = "integration_b"
	ListFormSubmissionsParamsIntegrationTypeManual       ListFormSubmissionsParamsIntegrationType = "manual"
	ListFormSubmissionsParamsIntegrationTypeTally        ListFormSubmissionsParamsIntegrationType = "tally"
	ListFormSubmissionsParamsIntegrationTypeTypeform     ListFormSubmissionsParamsIntegrationType = "typeform"
)

// Defines values for ListDeliveriesParamsState.
const (
	ListDeliveriesParamsStateDelivered ListDeliveriesParamsState = "delivered"
	ListDeliveriesParamsStateFailed    ListDeliveriesParamsState = "failed"
	ListDeliveriesParamsStatePending   ListDeliveriesParamsState = "pending"
)

// Defines values for ListCompaniesParamsSortBy.
const (
	ListCompaniesParamsSortByCreatedAt ListCompaniesParamsSortBy = "created_at"
	ListCompaniesParamsSortByName      ListCompaniesParamsSortBy = "name"
	ListCompaniesParamsSortByUpdatedAt ListCompaniesParamsSortBy = "updated_at"
)

// Defines values for ListCompaniesParamsSortOrder.
const (
	ListCompaniesParamsSortOrderAsc  ListCompaniesParamsSortOrder = "asc"
	ListCompaniesParamsSortOrderDesc ListCompaniesParamsSortOrder = "desc"
)

// AIAnalysis defines model for AIAnalysis.
type AIAnalysis struct {
	AiReasoning     string                    `json:"aiReasoning"`
	ContextAnalysis AIAnalysisContextAnalysis `json:"contextAnalysis"`

	// DetectedUrls Every distinct http(s) link of the text, in order of appearance.
	DetectedUrls []string `json:"detectedUrls"`

	// Evidence The evidence for each detected value: one entry for the name, the summary, the status and the source, one for each founder, and one each for
	// the deck's link and the deck's file. Values that the client gave have none, and neither has a field that stayed empty. Empty while the analysis is still running.
	Evidence []AIEvidence `json:"evidence"`

	// NeedsReview The fields that a person should look at, since they are likelier wrong than others, were too unsure to be filled, or, for `name`, hold what is in
	// for one (the deck's title, a domain, `Untitled company`): `name`, `founders`, `summary`, `status`, `source`, `deck`. Where the text is none about
	// a company, `this does not look like a deal` is first. After them a sentence for each PDF that could not be
	// read at that moment for a reason that is not the file's; it is read again soon, and the company is updated then.
	NeedsReview []string `json:"needs_review"`

	// ProcessedAt Null while the analysis is still running.
	ProcessedAt *Time `json:"processedAt"`

	// SelectedDeckURL The link taken for the deck, which becomes `deck_link`.
	SelectedDeckURL *string `json:"selectedDeckUrl"`
}

// AIAnalysisContextAnalysis defines model for AIAnalysisContextAnalysis.
type AIAnalysisContextAnalysis struct {
	// SourceDetected False where it was given.
	SourceDetected  bool   `json:"sourceDetected"`
	SourceReasoning string `json:"sourceReasoning"`

	// StatusDetected False where it was given.
	StatusDetected  bool   `json:"statusDetected"`
	StatusReasoning string `json:"statusReasoning"`
}

// AIAttachment A file that is not the deck.
type AIAttachment struct {
	// AttachmentType The media type of its content, such as `application/pdf`.
	AttachmentType *string `json:"attachmentType"`

	// FilePath Where it is stored; null in a dry run.
	FilePath *string `json:"filePath"`

	// ID Null in a dry run.
	ID *uuid.UUID `json:"id"`

	// Title The file's name, extension included.
	Title string `json:"title"`
}

// AICreation defines model for AICreation.
type AICreation struct {
	Analysis    AIAnalysis     `json:"analysis"`
	Attachments []AIAttachment `json:"attachments"`
	Company     Company        `json:"company"`

	// PdfDownloadURL A signed URL for the deck that holds for an hour; present only when a deck was stored.
	PdfDownloadURL *string `json:"pdfDownloadUrl,omitempty"`
}

// AICreationForm Any other field is ignored; any other file is refused.
type AICreationForm struct {
	// AccountID The account to create the company under.
	AccountID uuid.UUID `json:"account_id"`

	// CompanyStatusID Overrides status detection. Must be one of the account's statuses.
	CompanyStatusID *uuid.UUID `json:"company_status_id,omitempty"`

	// DryRun Answers with the same analysis and stores nothing; `false` if it is left out.
	DryRun *bool `json:"dry_run,omitempty"`

	// Files At most 10. A file with a filename, up to 50 MB by default. Its type is found in its content.
	Files []File `json:"file,omitempty"`

	// Metadata A JSON object, merged with the extracted values; if both have a value, this one wins.
	Metadata map[string]any `json:"metadata,omitempty"`

	// Name Overrides the extracted name.
	Name *string `json:"name,omitempty"`

	// Notes Internal notes.
	Notes *string `json:"notes,omitempty"`

	// Source Overrides source detection.
	Source *Source `json:"source,omitempty"`

	// Text Free text, an email's body, answers of a form, notes or links, up to 1 MB. Something besides white space.
	Text io.Reader `json:"text"`

	// Visibility `team` if it is left out.
	Visibility *Visibility `json:"visibility,omitempty"`
}

// AIEvidence defines model for AIEvidence.
type AIEvidence struct {
	// Analyzer Who decided: `rules`, `corrections` or the name of the model.
	Analyzer string `json:"analyzer"`

	// Confidence The share of such decisions that are right, measured on labelled texts.
	Confidence float32 `json:"confidence"`

	// End The character behind the quote.
	End   *int            `json:"end"`
	Field AIEvidenceField `json:"field"`

	// File The name of the file that the decision rests on; null for the text.
	File *string `json:"file"`

	// Page The page of `file` that has the quote, from 1.
	Page *int `json:"page"`

	// Quote The passage word for word, in the encoding of `text` as sent; empty if no single passage supports the value.
	Quote string `json:"quote"`

	// Start The first character of the quote in `text` as sent, from 0; null if it is on a page of a file.
	Start *int `json:"start"`

	// Value The decision: a founder's name (else the address), the id of the status, the deck's link or the name of its file.
	Value string `json:"value"`
}

// AIEvidenceField defines model for AIEvidence.Field.
type AIEvidenceField string

// APIKey defines model for APIKey.
type APIKey struct {
	CreatedAt Time `json:"created_at"`

	// ExpiresAt When it stops working; null for never.
	ExpiresAt *Time `json:"expires_at"`

	// Hint How the key begins, to distinguish keys.
	Hint string    `json:"hint"`
	ID   uuid.UUID `json:"id"`

	// LastUsedAt To within a minute; null before the first request.
	LastUsedAt *Time  `json:"last_used_at"`
	Name       string `json:"name"`

	// Scopes What the key may do. `read`: every GET, those of integrations and of the audit log aside. `write`: every POST, PATCH and DELETE of deals. `admin`: the
	// settings of a team (statuses, fields, members, invitations, integrations, audit log), keys, passwords and sessions. None of them contains another.
	Scopes Scopes `json:"scopes"`
}

// AcceptInvitationBody is what AcceptInvitation sends.
type AcceptInvitationBody struct {
	Name     *string `json:"name,omitempty"`
	Password *string `json:"password,omitempty"`
	Token    string  `json:"token"`

	// TotpCode Of a user with a second factor, as for a login.
	TotpCode *string `json:"totp_code,omitempty"`
}

// Account defines model for Account.
type Account struct {
	CreatedAt Time      `json:"created_at"`
	ID        uuid.UUID `json:"id"`
	Name      string    `json:"name"`

	// Role The caller's.
	Role      AccountRole `json:"role"`
	UpdatedAt Time        `json:"updated_at"`
}

// AccountRole The caller's.
type AccountRole string

// AccountChange defines model for AccountChange.
type AccountChange struct {
	Action AccountChangeAction `json:"action"`
	At     Time                `json:"at"`

	// Cursor Behind this change.
	Cursor string `json:"cursor"`

	// ID Of the thing.
	ID   uuid.UUID  `json:"id"`
	Kind ChangeKind `json:"kind"`
}

// AccountChangeAction defines model for AccountChange.Action.
type AccountChangeAction string

// AccountFileForm defines model for AccountFileForm.
type AccountFileForm struct {
	// File Its content.
	File File `json:"file"`

	// Line The line of the export as it is.
	Line io.Reader `json:"line"`
}

// AskPasswordResetBody is what AskPasswordReset sends.
type AskPasswordResetBody struct {
	Email string `json:"email"`
}

// Assignee defines model for Assignee.
type Assignee struct {
	Email string `json:"email"`

	// ID The user's id.
	ID         uuid.UUID `json:"id"`
	Name       string    `json:"name"`
	PictureURL *string   `json:"picture_url"`
}

// Attachment A file or link of a company that is not its deck.
type Attachment struct {
	AccountID      uuid.UUID                `json:"account_id"`
	AttachmentType AttachmentAttachmentType `json:"attachment_type"`
	CompanyID      uuid.UUID                `json:"company_id"`
	CreatedAt      Time                     `json:"created_at"`
	Description    *string                  `json:"description"`

	// FileMimeType Found in the content.
	FileMimeType *string `json:"file_mime_type"`

	// FilePath Where it is stored.
	FilePath      *string   `json:"file_path"`
	FileSizeBytes *int      `json:"file_size_bytes"`
	ID            uuid.UUID `json:"id"`

	// LinkURL Of a link.
	LinkURL          *string `json:"link_url"`
	OriginalFilename *string `json:"original_filename"`
	Title            string  `json:"title"`
	UpdatedAt        Time    `json:"updated_at"`
}

// AttachmentAttachmentType defines model for Attachment.AttachmentType.
type AttachmentAttachmentType string

// AttachmentForm Any other field is ignored; any other file is refused.
type AttachmentForm struct {
	// AccountID The company's account; may be left out.
	AccountID   *uuid.UUID `json:"account_id,omitempty"`
	Description *string    `json:"description,omitempty"`

	// File A file with a filename, up to 50 MB by default. Its type is found in its content.
	File *File `json:"file,omitempty"`

	// LinkURL An http or https URL instead of a file.
	LinkURL *string `json:"link_url,omitempty"`

	// Title Without one, the file's name or the link.
	Title *string `json:"title,omitempty"`
}

// AuditEntry defines model for AuditEntry.
type AuditEntry struct {
	Action string `json:"action"`

	// Actor Who did it; null for the operator, and if it is not known.
	Actor *struct {
		Email string    `json:"email"`
		ID    uuid.UUID `json:"id"`
		Name  string    `json:"name"`
	} `json:"actor"`
	At      Time `json:"at"`
	Changes map[string]struct {
		// Changed Instead of both where neither is kept.
		Changed *bool `json:"changed,omitempty"`

		// From What was there before; null for nothing.
		From interface{} `json:"from,omitempty"`

		// To What is there now; null for nothing.
		To interface{} `json:"to,omitempty"`
	} `json:"changes"`
	ID uuid.UUID `json:"id"`

	// IP The address that the request came from.
	IP     *string          `json:"ip"`
	Target AuditEntryTarget `json:"target"`
}

// AuditEntryTarget defines model for AuditEntryTarget.
type AuditEntryTarget struct {
	ID uuid.UUID `json:"id"`

	// Name What it was called then.
	Name *string `json:"name"`
	Type string  `json:"type"`
}

// CancelImportData defines model for CancelImportData.
type CancelImportData struct {
	Import Import `json:"import"`
}

// ChangeCompanyBody is what ChangeCompany sends.
type ChangeCompanyBody struct {
	Assignees []uuid.UUID `json:"assignees,omitzero"`

	// CompanyStatusID One of the account's statuses.
	CompanyStatusID Change[uuid.UUID] `json:"company_status_id,omitzero"`

	// DeckLink An http or https URL.
	DeckLink Change[string]         `json:"deck_link,omitzero"`
	Metadata map[string]interface{} `json:"metadata,omitempty"`

	// Name Something that can be seen.
	Name   *string        `json:"name,omitempty"`
	Notes  Change[string] `json:"notes,omitzero"`
	Source *Source        `json:"source,omitempty"`

	// Visibility `team`: every member of the account. `shared`: its creator, its assignees and those it was shared with. `private`: its creator alone.
	Visibility *Visibility `json:"visibility,omitempty"`
}

// ChangeCompanyData is what ChangeCompany answers.
type ChangeCompanyData struct {
	Company Company `json:"company"`

	// PdfDownloadURL Null without `include_download_url=true`, and without a stored deck.
	PdfDownloadURL *string `json:"pdf_download_url"`
}

// ChangeCompanySettingBody is what ChangeCompanySetting sends.
type ChangeCompanySettingBody struct {
	FieldType *FieldType `json:"field_type,omitempty"`

	// Name Something that can be seen.
	Name *string `json:"name,omitempty"`

	// Options Distinct. At least one for `select` and `multi_select`, none for the others.
	Options  []string `json:"options,omitzero"`
	Order    *int     `json:"order,omitempty"`
	Required *bool    `json:"required,omitempty"`
}

// ChangeCompanyStatusBody is what ChangeCompanyStatus sends.
type ChangeCompanyStatusBody struct {
	Color       *string        `json:"color,omitempty"`
	Description Change[string] `json:"description,omitzero"`

	// IsDefault Whether clients preselect it.
	IsDefault *bool `json:"is_default,omitempty"`

	// Name Something that can be seen.
	Name *string `json:"name,omitempty"`
	Rank *int    `json:"rank,omitempty"`
}

// ChangeIntegrationBody is what ChangeIntegration sends.
type ChangeIntegrationBody struct {
	CreateCompanies *bool   `json:"create_companies,omitempty"`
	Enabled         *bool   `json:"enabled,omitempty"`
	Name            *string `json:"name,omitempty"`

	// SigningKey Mailgun's HTTP webhook signing key. It is never shown again.
	SigningKey Change[string] `json:"signing_key,omitzero"`
}

// ChangeKind defines model for ChangeKind.
type ChangeKind string

// ChangeMemberBody is what ChangeMember sends.
type ChangeMemberBody struct {
	// Role Members work with deals; owners and admins also change the team's settings; owners also make and change owners.
	Role Role `json:"role"`
}

// ChangePasswordBody is what ChangePassword sends.
type ChangePasswordBody struct {
	CurrentPassword string `json:"current_password"`
	NewPassword     string `json:"new_password"`
}

// ChangeSavedViewBody is what ChangeSavedView sends.
type ChangeSavedViewBody struct {
	Columns []SavedViewColumn `json:"columns,omitzero"`

	// CompanyStatusID The id of a status, `no_status`, or null for any.
	CompanyStatusID Change[string]  `json:"company_status_id,omitzero"`
	Name            *string         `json:"name,omitempty"`
	Search          *string         `json:"search,omitempty"`
	Shared          *bool           `json:"shared,omitempty"`
	SortBy          *SavedViewSort  `json:"sort_by,omitempty"`
	SortOrder       *SavedViewOrder `json:"sort_order,omitempty"`
	Source          Change[string]  `json:"source,omitzero"`
}

// ChangeType defines model for ChangeType.
type ChangeType string

// ChangeWebhookBody is what ChangeWebhook sends.
type ChangeWebhookBody struct {
	Description *string `json:"description,omitempty"`
	Enabled     *bool   `json:"enabled,omitempty"`

	// Events Each is kept once, in this order.
	Events []ChangeType `json:"events,omitzero"`
	URL    *string      `json:"url,omitempty"`
}

// Company defines model for Company.
type Company struct {
	// AccountID The owning account.
	AccountID     uuid.UUID       `json:"account_id"`
	Assignees     []Assignee      `json:"assignees"`
	CompanyStatus *EmbeddedStatus `json:"company_status"`

	// CompanyStatusID Null means no status.
	CompanyStatusID *uuid.UUID `json:"company_status_id"`

	// CreatedAt Null in a dry run alone.
	CreatedAt *Time `json:"created_at"`

	// CreatedBy A user's id.
	CreatedBy uuid.UUID `json:"created_by"`

	// DeckLink External link to the deck.
	DeckLink *string `json:"deck_link"`

	// DeckStoragePath Where the stored deck lies.
	DeckStoragePath *string `json:"deck_storage_path"`

	// ID Null in a dry run alone.
	ID *uuid.UUID `json:"id"`

	// Metadata Free-form: members that a client sent are returned unchanged, whatever their types. An analysis adds `founders`, `ai_analysis` and `analyzed_at` where the
	// client gave none.
	Metadata Metadata `json:"metadata"`

	// MetadataSearchText The texts of `metadata`.
	MetadataSearchText string `json:"metadata_search_text"`
	Name               string `json:"name"`

	// Notes Internal notes.
	Notes  *string `json:"notes"`
	Source Source  `json:"source"`

	// SourceContent What the company was created from.
	SourceContent *string `json:"source_content"`

	// UpdatedAt Null in a dry run alone.
	UpdatedAt *Time `json:"updated_at"`

	// UpdatedBy A user's id.
	UpdatedBy uuid.UUID `json:"updated_by"`

	// Visibility `team`: every member of the account. `shared`: its creator, its assignees and those it was shared with. `private`: its creator alone.
	Visibility Visibility `json:"visibility"`
}

// CompanyPass defines model for CompanyPass.
type CompanyPass struct {
	At Time `json:"at"`

	// By Who moved it there.
	By     *string `json:"by"`
	Reason *string `json:"reason"`
	Stage  string  `json:"stage"`
}

// CompanySource defines model for CompanySource.
type CompanySource struct {
	At Time `json:"at"`

	// Email Of a submission the first answer that is an address.
	Email *string `json:"email"`

	// First Whether the company was created from it.
	First bool `json:"first"`

	// ID Of the first email or submission, or of the import; null of a person.
	ID      *uuid.UUID           `json:"id"`
	Name    *string              `json:"name"`
	Through CompanySourceThrough `json:"through"`

	// Times How often they brought it.
	Times int `json:"times"`
}

// CompanySourceThrough defines model for CompanySource.Through.
type CompanySourceThrough string

// CompanyStatus A status in a list.
type CompanyStatus struct {
	AccountID   uuid.UUID `json:"account_id"`
	Color       string    `json:"color"`
	CreatedAt   Time      `json:"created_at"`
	Description *string   `json:"description"`
	ID          uuid.UUID `json:"id"`

	// IsDefault The status that a client preselects.
	IsDefault bool   `json:"is_default"`
	Name      string `json:"name"`

	// Rank Order in the pipeline.
	Rank int `json:"rank"`
}

// ConfirmTOTPBody is what ConfirmTOTP sends.
type ConfirmTOTPBody struct {
	Code string `json:"code"`
}

// ConfirmTOTPData is what ConfirmTOTP answers.
type ConfirmTOTPData struct {
	RecoveryCodes []string `json:"recovery_codes"`
}

// CountedPagination defines model for CountedPagination.
type CountedPagination struct {
	Limit int `json:"limit"`

	// NextCursor What `cursor` takes for the page after this one; null at the end.
	NextCursor *string `json:"next_cursor"`
	Page       int     `json:"page"`

	// Total How many the caller sees on all pages.
	Total      int `json:"total"`
	TotalPages int `json:"total_pages"`
}

// CreateAPIKeyBody is what CreateAPIKey sends.
type CreateAPIKeyBody struct {
	// ExpiresAt In the future; never if it is left out.
	ExpiresAt *Time `json:"expires_at,omitempty"`

	// Name What the key is for. Something that can be seen.
	Name string `json:"name"`

	// Scopes All if it is left out. A key cannot create a key with a scope that it lacks (403, `missing_scope`).
	Scopes *Scopes `json:"scopes,omitempty"`
}

// CreateAPIKeyData is what CreateAPIKey answers.
type CreateAPIKeyData struct {
	APIKey APIKey `json:"api_key"`

	// Key The full key. Null when the request is sent again with its `Idempotency-Key`.
	Key *string `json:"key"`
}

// CreateCompanyBody is what CreateCompany sends.
type CreateCompanyBody struct {
	// AccountID The account to create the company under.
	AccountID uuid.UUID `json:"account_id"`

	// Assignees Ids of users who are members of the account.
	Assignees []uuid.UUID `json:"assignees,omitempty"`

	// CompanyStatusID One of the account's statuses.
	CompanyStatusID *uuid.UUID `json:"company_status_id,omitempty"`

	// DeckLink An http or https URL.
	DeckLink *string `json:"deck_link,omitempty"`

	// Metadata A free-form object.
	Metadata map[string]interface{} `json:"metadata,omitempty"`

	// Name Something that can be seen.
	Name  string  `json:"name"`
	Notes *string `json:"notes,omitempty"`

	// Source `manual` if it is left out.
	Source        *Source `json:"source,omitempty"`
	SourceContent *string `json:"source_content,omitempty"`

	// Visibility `team` if it is left out.
	Visibility *Visibility `json:"visibility,omitempty"`
}

// CreateCompanySettingBody is what CreateCompanySetting sends.
type CreateCompanySettingBody struct {
	FieldType FieldType `json:"field_type"`

	// Name Something that can be seen.
	Name string `json:"name"`

	// Options Distinct. At least one for `select` and `multi_select`, none for the others.
	Options []string `json:"options,omitempty"`

	// Required `false` if it is left out.
	Required *bool `json:"required,omitempty"`
}

// CreateCompanyStatusBody is what CreateCompanyStatus sends.
type CreateCompanyStatusBody struct {
	// Color Without one it gets a default.
	Color       *string `json:"color,omitempty"`
	Description *string `json:"description,omitempty"`

	// Name Something that can be seen.
	Name string `json:"name"`

	// Rank Without one the status goes to the end of the pipeline.
	Rank *int `json:"rank,omitempty"`
}

// CreateFormSubmissionBody is what CreateFormSubmission sends.
type CreateFormSubmissionBody struct {
	// CompanyID A company of this account that the caller sees.
	CompanyID *uuid.UUID   `json:"company_id,omitempty"`
	Data      []FormAnswer `json:"data"`

	// Metadata Free-form.
	Metadata map[string]interface{} `json:"metadata,omitempty"`
}

// CreateIntegrationBody is what CreateIntegration sends.
type CreateIntegrationBody struct {
	// CreateCompanies Whether each new submission or email goes through AI creation; `false` if it is left out.
	CreateCompanies *bool `json:"create_companies,omitempty"`

	// Kind What an integration sends.
	Kind IntegrationKind `json:"kind"`
	Name string          `json:"name"`
}

// CreateIntegrationData is what CreateIntegration answers.
type CreateIntegrationData struct {
	Integration Integration `json:"integration"`

	// Secret Null when the request is sent again with its `Idempotency-Key`.
	Secret *string `json:"secret"`
}

// CreateInvitationBody is what CreateInvitation sends.
type CreateInvitationBody struct {
	// Email One plain address, without a name.
	Email string `json:"email"`

	// Role `member` if it is left out.
	Role *CreateInvitationBodyRole `json:"role,omitempty"`
}

// CreateInvitationBodyRole `member` if it is left out.
type CreateInvitationBodyRole string

// CreateInvitationData is what CreateInvitation answers.
type CreateInvitationData struct {
	// AcceptURL Its last segment is the token. Null if the invitation is mailed, and when the request is sent again with its `Idempotency-Key`.
	AcceptURL  *string    `json:"accept_url"`
	Invitation Invitation `json:"invitation"`
}

// CreateMeetingMinutesBody is what CreateMeetingMinutes sends.
type CreateMeetingMinutesBody struct {
	Attendees []string `json:"attendees,omitempty"`

	// CompanyID A company of this account that the caller sees.
	CompanyID *uuid.UUID `json:"company_id,omitempty"`

	// Content Markdown.
	Content *string `json:"content,omitempty"`

	// MeetingDate RFC 3339, with any offset.
	MeetingDate *Time `json:"meeting_date,omitempty"`

	// Metadata Free-form.
	Metadata map[string]interface{} `json:"metadata,omitempty"`

	// Title Something that can be seen.
	Title string `json:"title"`
}

// CreateSavedViewBody is what CreateSavedView sends.
type CreateSavedViewBody struct {
	Columns []SavedViewColumn `json:"columns,omitempty"`

	// CompanyStatusID The id of a status, or `no_status`.
	CompanyStatusID *string `json:"company_status_id,omitempty"`
	Name            string  `json:"name"`
	Search          *string `json:"search,omitempty"`
	Shared          *bool   `json:"shared,omitempty"`

	// SortBy created_at if it is left out.
	SortBy *SavedViewSort `json:"sort_by,omitempty"`

	// SortOrder desc if it is left out.
	SortOrder *SavedViewOrder            `json:"sort_order,omitempty"`
	Source    *CreateSavedViewBodySource `json:"source,omitempty"`
}

// CreateSavedViewBodySource defines model for CreateSavedViewBody.Source.
type CreateSavedViewBodySource string

// CreateSharedLinkBody is what CreateSharedLink sends.
type CreateSharedLinkBody struct {
	// AskEmail Ask who opens the page for an email address. It is not verified.
	AskEmail *bool `json:"ask_email,omitempty"`

	// Companies In the order in which they are to be shown, each once. Each must be a company of the account that the caller sees.
	Companies []CreateSharedLinkBodyCompanies `json:"companies"`

	// Description Shown below the title.
	Description *string `json:"description,omitempty"`

	// ExpiresAt In the future.
	ExpiresAt *Time `json:"expires_at,omitempty"`

	// Name The page's title.
	Name *string `json:"name,omitempty"`

	// Password Stored as a hash only.
	Password *string `json:"password,omitempty"`

	// ViewOnly Show decks page by page, allow no downloads, and link to a deck elsewhere only if there is no stored deck.
	ViewOnly *bool `json:"view_only,omitempty"`

	// Watermark Write the visitor's address across each page of a deck. Needs `ask_email` and `view_only`.
	Watermark *bool `json:"watermark,omitempty"`
}

// CreateSharedLinkBodyCompanies defines model for CreateSharedLinkBodyCompanies.
type CreateSharedLinkBodyCompanies struct {
	CompanyID uuid.UUID `json:"company_id"`

	// Permissions The deck alone; also the company's fields, but neither notes nor source content; also notes and attachments.
	Permissions SharePermissions `json:"permissions"`
}

// CreateWebhookBody is what CreateWebhook sends.
type CreateWebhookBody struct {
	Description *string `json:"description,omitempty"`

	// Enabled Whether anything is sent.
	Enabled *bool `json:"enabled,omitempty"`

	// Events Each is kept once, in this order.
	Events []ChangeType `json:"events,omitempty"`
	URL    string       `json:"url"`
}

// Dashboard defines model for Dashboard.
type Dashboard struct {
	Charts DashboardCharts `json:"charts"`

	// PipelineSummary Every status in its order, also those without companies, and then one row for the companies without a status.
	PipelineSummary []DashboardPipelineSummary `json:"pipeline_summary"`

	// RecentActivity The newest first.
	RecentActivity []DashboardRecentActivity `json:"recent_activity"`
	Stats          DashboardStats            `json:"stats"`
}

// DashboardCharts defines model for DashboardCharts.
type DashboardCharts struct {
	// CompaniesOverTime A row for each day, the oldest first, with the number of companies that were made on it.
	CompaniesOverTime []DashboardChartsCompaniesOverTime `json:"companies_over_time"`

	// SourceBreakdown The sources that occur, the most frequent first.
	SourceBreakdown []DashboardChartsSourceBreakdown `json:"source_breakdown"`
}

// DashboardChartsCompaniesOverTime defines model for DashboardChartsCompaniesOverTime.
type DashboardChartsCompaniesOverTime struct {
	Count int    `json:"count"`
	Date  string `json:"date"`
}

// DashboardChartsSourceBreakdown defines model for DashboardChartsSourceBreakdown.
type DashboardChartsSourceBreakdown struct {
	Count  int    `json:"count"`
	Source Source `json:"source"`
}

// DashboardPipelineSummary defines model for DashboardPipelineSummary.
type DashboardPipelineSummary struct {
	Color      *string    `json:"color"`
	Count      int        `json:"count"`
	StatusID   *uuid.UUID `json:"status_id"`
	StatusName *string    `json:"status_name"`
}

// DashboardRecentActivity defines model for DashboardRecentActivity.
type DashboardRecentActivity struct {
	CompanyID *uuid.UUID `json:"company_id"`

	// CompanyName As it is called now.
	CompanyName *string   `json:"company_name"`
	CreatedAt   Time      `json:"created_at"`
	Description string    `json:"description"`
	ID          uuid.UUID `json:"id"`

	// Type `company_added`, `company_deleted`, `status_changed`, `meeting_added`, `form_submitted`, `link_created` and the like; more may come.
	Type string `json:"type"`
}

// DashboardStats defines model for DashboardStats.
type DashboardStats struct {
	// ActiveDeals Companies whose status is not a closing one, by its name (Invested, Won, Passed, Rejected and the like in many languages), and those without a status.
	ActiveDeals        int `json:"active_deals"`
	CompaniesThisMonth int `json:"companies_this_month"`

	// MeetingsThisWeek Meeting minutes by their `meeting_date`.
	MeetingsThisWeek int `json:"meetings_this_week"`
	TotalCompanies   int `json:"total_companies"`
}

// DeliveryData defines model for DeliveryData.
type DeliveryData struct {
	Delivery WebhookDelivery `json:"delivery"`
}

// DownloadAttachmentData is what DownloadAttachment answers.
type DownloadAttachmentData struct {
	DownloadURL string `json:"download_url"`
	ExpiresAt   Time   `json:"expires_at"`
}

// DownloadDeckData is what DownloadDeck answers.
type DownloadDeckData struct {
	DownloadURL string `json:"download_url"`
	ExpiresAt   Time   `json:"expires_at"`
}

// Email defines model for Email.
type Email struct {
	AccountID        uuid.UUID         `json:"account_id"`
	Attachments      []EmailAttachment `json:"attachments"`
	AttachmentsCount int               `json:"attachments_count"`

	// CompanyIds The companies that it is about and that the caller sees. When an email arrives it is linked to those whose founder's address, or whose own domain, is in its
	// From, To or Cc, but to at most 100; mail providers' domains, and those of the team's own people, count for nothing.
	CompanyIds []uuid.UUID `json:"company_ids"`

	// Content All of its text.
	Content string `json:"content"`

	// ContentPreview How the content begins, in one line.
	ContentPreview string `json:"content_preview"`

	// CreatedAt When it arrived here.
	CreatedAt Time      `json:"created_at"`
	FromEmail string    `json:"from_email"`
	ID        uuid.UUID `json:"id"`

	// Metadata Free-form. If a company was requested (`create_companies`), `company_match` has the result: `company_id` (null if none was created, and if
	// not every member saw the company then), `created` (false if the company existed before), `reason` in a sentence, and `files_left_out`, if any, with the reasons.
	Metadata  map[string]interface{} `json:"metadata"`
	Processed bool                   `json:"processed"`
	Subject   *string                `json:"subject"`
	Tags      []string               `json:"tags"`
	ToEmails  []string               `json:"to_emails"`
	UpdatedAt Time                   `json:"updated_at"`
}

// EmailAttachment defines model for EmailAttachment.
type EmailAttachment struct {
	ContentType string `json:"content_type"`
	CreatedAt   Time   `json:"created_at"`

	// DownloadURL Holds for an hour and needs no key.
	DownloadURL string    `json:"download_url"`
	EmailID     uuid.UUID `json:"email_id"`
	Filename    string    `json:"filename"`
	ID          uuid.UUID `json:"id"`

	// Size Bytes.
	Size        int    `json:"size"`
	StoragePath string `json:"storage_path"`
}

// EmbeddedStatus A status where it was made, and inside a company.
type EmbeddedStatus struct {
	Color string    `json:"color"`
	ID    uuid.UUID `json:"id"`
	Rank  int       `json:"rank"`

	// StatusText The status's name.
	StatusText string `json:"status_text"`
}

// Entry defines model for Entry.
type Entry struct {
	Accounts []Account    `json:"accounts"`
	Session  EntrySession `json:"session"`
	User     User         `json:"user"`
}

// EntrySession defines model for EntrySession.
type EntrySession struct {
	ExpiresAt Time      `json:"expires_at"`
	ID        uuid.UUID `json:"id"`
}

// FieldSetting A field that an account keeps of its companies, in their `metadata.user_preferences`.
type FieldSetting struct {
	FieldType FieldType `json:"field_type"`
	ID        uuid.UUID `json:"id"`
	Name      string    `json:"name"`
	Options   []string  `json:"options"`
	Order     int       `json:"order"`

	// Required Whether clients should require a value. The service does not.
	Required bool `json:"required"`
}

// FieldType defines model for FieldType.
type FieldType string

// FormAnswer Members of other names are kept too.
type FormAnswer struct {
	Key   string  `json:"key"`
	Label *string `json:"label,omitempty"`

	// Options Of a choice: objects of `id` and `text`.
	Options []interface{} `json:"options,omitempty"`

	// Type Any; known ones are `INPUT_TEXT`, `INPUT_LINK`, `INPUT_EMAIL`, `MULTIPLE_CHOICE` and `FILE_UPLOAD`.
	Type *string `json:"type,omitempty"`

	// Value Any; a string, or an array, which for `FILE_UPLOAD` holds objects of `id`, `name`, `url` and `size`.
	Value interface{} `json:"value,omitempty"`
}

// FormSubmission defines model for FormSubmission.
type FormSubmission struct {
	AccountID uuid.UUID    `json:"account_id"`
	CompanyID *uuid.UUID   `json:"company_id"`
	CreatedAt Time         `json:"created_at"`
	Data      []FormAnswer `json:"data"`
	ID        uuid.UUID    `json:"id"`

	// IntegrationType `manual` where it was not brought by an integration.
	IntegrationType FormSubmissionIntegrationType `json:"integration_type"`

	// Metadata Free-form. If a company was requested (`create_companies`), `company_match` has the result: `company_id` (null if none was created, and if
	// not every member saw the company then), `created` (false if the company existed before), `reason` in a sentence, and `files_left_out`, if any, with the reasons.
	Metadata map[string]interface{} `json:"metadata"`

	// Processed False at first.
	Processed bool `json:"processed"`
	UpdatedAt Time `json:"updated_at"`
}

// FormSubmissionIntegrationType `manual` where it was not brought by an integration.
type FormSubmissionIntegrationType string

// GetAnalysisData is what GetAnalysis answers.
type GetAnalysisData struct {
	Analysis *AIAnalysis `json:"analysis"`
}

// GetAuditLogData is what GetAuditLog answers.
type GetAuditLogData struct {
	Entries    []AuditEntry `json:"entries"`
	Pagination Pagination   `json:"pagination"`
}

// GetCompanyData is what GetCompany answers.
type GetCompanyData struct {
	Company Company `json:"company"`

	// PdfDownloadURL Null without `include_download_url=true`, and without a stored deck.
	PdfDownloadURL *string `json:"pdf_download_url"`
}

// GetCompanySourcesData is what GetCompanySources answers.
type GetCompanySourcesData struct {
	EarlierPass *CompanyPass    `json:"earlier_pass"`
	Passes      []CompanyPass   `json:"passes"`
	Sources     []CompanySource `json:"sources"`
}

// GetHealthData is what GetHealth answers.
type GetHealthData struct {
	Status GetHealthDataStatus `json:"status"`
}

// GetHealthDataStatus defines model for GetHealthData.Status.
type GetHealthDataStatus string

// Import defines model for Import.
type Import struct {
	AccountID uuid.UUID `json:"account_id"`

	// CreateCompanies Whether a company is created from each new email or submission.
	CreateCompanies bool      `json:"create_companies"`
	Created         int       `json:"created"`
	CreatedAt       Time      `json:"created_at"`
	CreatedBy       uuid.UUID `json:"created_by"`

	// Duplicates Rows that were here already, or came earlier in the file.
	Duplicates int `json:"duplicates"`

	// Error What is wrong with the whole.
	Error *string `json:"error"`

	// Failed Rows with something wrong; `…/errors` says what.
	Failed     int          `json:"failed"`
	FinishedAt *Time        `json:"finished_at"`
	Format     ImportFormat `json:"format"`
	ID         uuid.UUID    `json:"id"`

	// Kept Things that its undo did not remove, for example since somebody has changed them; `…/kept` lists them.
	Kept int        `json:"kept"`
	Kind ImportKind `json:"kind"`

	// Processed `created`, `duplicates` and `failed` together.
	Processed int `json:"processed"`

	// Status While `receiving`, rows are written already. `completed`, `failed` and `cancelled` are its end; `undone` is the end of its undo.
	Status ImportStatus `json:"status"`

	// Total Rows that have arrived.
	Total int `json:"total"`

	// Undo The progress of its undo; null if no undo was requested.
	Undo      *ImportUndo `json:"undo"`
	UpdatedAt Time        `json:"updated_at"`
}

// ImportFormat defines model for Import.Format.
type ImportFormat string

// ImportKind defines model for Import.Kind.
type ImportKind string

// ImportStatus While `receiving`, rows are written already. `completed`, `failed` and `cancelled` are its end; `undone` is the end of its undo.
type ImportStatus string

// ImportUndo defines model for ImportUndo.
type ImportUndo struct {
	// By The user who requested it.
	By *uuid.UUID `json:"by"`

	// Error Why it failed.
	Error      *string `json:"error"`
	FinishedAt *Time   `json:"finished_at"`

	// Removed Of these, including those that somebody had deleted before.
	Removed   int   `json:"removed"`
	StartedAt *Time `json:"started_at"`

	// Status An undo that has `failed` continues when it is requested again.
	Status ImportUndoStatus `json:"status"`

	// Total Things that the import brought, and the records that were created from them.
	Total int `json:"total"`
}

// ImportUndoStatus An undo that has `failed` continues when it is requested again.
type ImportUndoStatus string

// Integration defines model for Integration.
type Integration struct {
	CreateCompanies bool `json:"create_companies"`
	CreatedAt       Time `json:"created_at"`
	Enabled         bool `json:"enabled"`

	// HookURL Where to send to.
	HookURL string    `json:"hook_url"`
	ID      uuid.UUID `json:"id"`

	// Kind What an integration sends.
	Kind IntegrationKind `json:"kind"`
	Name string          `json:"name"`
}

// IntegrationKind What an integration sends.
type IntegrationKind string

// Invitation defines model for Invitation.
type Invitation struct {
	AccountID uuid.UUID `json:"account_id"`
	CreatedAt Time      `json:"created_at"`
	Email     string    `json:"email"`
	ExpiresAt Time      `json:"expires_at"`
	ID        uuid.UUID `json:"id"`

	// InvitedBy A user's id.
	InvitedBy uuid.UUID `json:"invited_by"`

	// Role Members work with deals; owners and admins also change the team's settings; owners also make and change owners.
	Role Role `json:"role"`
}

// ListAPIKeysData is what ListAPIKeys answers.
type ListAPIKeysData struct {
	APIKeys    []APIKey   `json:"api_keys"`
	Pagination Pagination `json:"pagination"`
}

// ListAccountsData is what ListAccounts answers.
type ListAccountsData struct {
	Accounts   []Account  `json:"accounts"`
	Pagination Pagination `json:"pagination"`
}

// ListAttachmentsData is what ListAttachments answers.
type ListAttachmentsData struct {
	Attachments []Attachment `json:"attachments"`
	Pagination  Pagination   `json:"pagination"`
}

// ListChangesData is what ListChanges answers.
type ListChangesData struct {
	Changes []AccountChange `json:"changes"`

	// HasMore Whether to ask again at once.
	HasMore bool `json:"has_more"`

	// NextCursor Behind all that was looked at, also where it was nothing for the caller.
	NextCursor string `json:"next_cursor"`
}

// ListCompaniesData is what ListCompanies answers.
type ListCompaniesData struct {
	Companies  []ListedCompany `json:"companies"`
	Pagination Pagination      `json:"pagination"`
}

// ListCompanySettingsData is what ListCompanySettings answers.
type ListCompanySettingsData struct {
	Fields     []FieldSetting `json:"fields"`
	Pagination Pagination     `json:"pagination"`
}

// ListDeliveriesData is what ListDeliveries answers.
type ListDeliveriesData struct {
	Deliveries []WebhookDelivery `json:"deliveries"`
	Pagination Pagination        `json:"pagination"`
}

// ListEmailsData is what ListEmails answers.
type ListEmailsData struct {
	Emails     []ListedEmail `json:"emails"`
	Pagination Pagination    `json:"pagination"`
}

// ListFormSubmissionsData is what ListFormSubmissions answers.
type ListFormSubmissionsData struct {
	Pagination  CountedPagination `json:"pagination"`
	Submissions []FormSubmission  `json:"submissions"`
}

// ListImportsData is what ListImports answers.
type ListImportsData struct {
	Imports    []Import   `json:"imports"`
	Pagination Pagination `json:"pagination"`
}

// ListIntegrationsData is what ListIntegrations answers.
type ListIntegrationsData struct {
	Integrations []Integration `json:"integrations"`
	Pagination   Pagination    `json:"pagination"`
}

// ListMeetingMinutesData is what ListMeetingMinutes answers.
type ListMeetingMinutesData struct {
	MeetingMinutes []MeetingMinutes `json:"meeting_minutes"`
	Pagination     Pagination       `json:"pagination"`
}

// ListMembersData is what ListMembers answers.
type ListMembersData struct {
	Invitations []Invitation `json:"invitations"`
	Members     []Member     `json:"members"`
	Pagination  Pagination   `json:"pagination"`
}

// ListMergesData is what ListMerges answers.
type ListMergesData struct {
	Merges     []Merge    `json:"merges"`
	Pagination Pagination `json:"pagination"`
}

// ListReceiptsData is what ListReceipts answers.
type ListReceiptsData struct {
	Pagination Pagination `json:"pagination"`
	Receipts   []Receipt  `json:"receipts"`
}

// ListSavedViewsData is what ListSavedViews answers.
type ListSavedViewsData struct {
	Pagination Pagination  `json:"pagination"`
	SavedViews []SavedView `json:"saved_views"`
}

// ListSessionsData is what ListSessions answers.
type ListSessionsData struct {
	Pagination Pagination `json:"pagination"`
	Sessions   []Login    `json:"sessions"`
}

// ListSharedLinksData is what ListSharedLinks answers.
type ListSharedLinksData struct {
	Links      []SharedLink `json:"links"`
	Pagination Pagination   `json:"pagination"`
}

// ListSharesData is what ListShares answers.
type ListSharesData struct {
	Pagination Pagination `json:"pagination"`
	Shares     []Assignee `json:"shares"`
}

// ListWebhooksData is what ListWebhooks answers.
type ListWebhooksData struct {
	Pagination Pagination `json:"pagination"`
	Webhooks   []Webhook  `json:"webhooks"`
}

// ListedCompany A company in a list.
type ListedCompany struct {
	// AccountID The owning account.
	AccountID     uuid.UUID       `json:"account_id"`
	Assignees     []Assignee      `json:"assignees"`
	CompanyStatus *EmbeddedStatus `json:"company_status"`

	// CompanyStatusID Null means no status.
	CompanyStatusID *uuid.UUID `json:"company_status_id"`
	CreatedAt       Time       `json:"created_at"`

	// CreatedBy A user's id.
	CreatedBy uuid.UUID `json:"created_by"`

	// DeckLink External link to the deck.
	DeckLink *string   `json:"deck_link"`
	ID       uuid.UUID `json:"id"`

	// Metadata Free-form: members that a client sent are returned unchanged, whatever their types. An analysis adds `founders`, `ai_analysis` and `analyzed_at` where the
	// client gave none.
	Metadata Metadata `json:"metadata"`
	Name     string   `json:"name"`

	// Notes Internal notes.
	Notes *string `json:"notes"`

	// PdfDownloadURL Only with `include_download_urls=true`; null without a stored deck.
	PdfDownloadURL *string `json:"pdf_download_url,omitempty"`
	Source         Source  `json:"source"`
	UpdatedAt      Time    `json:"updated_at"`

	// UpdatedBy A user's id.
	UpdatedBy uuid.UUID `json:"updated_by"`

	// Visibility `team`: every member of the account. `shared`: its creator, its assignees and those it was shared with. `private`: its creator alone.
	Visibility Visibility `json:"visibility"`
}

// ListedEmail An email in a list.
type ListedEmail struct {
	AccountID        uuid.UUID `json:"account_id"`
	AttachmentsCount int       `json:"attachments_count"`

	// ContentPreview How the content begins, in one line.
	ContentPreview string `json:"content_preview"`

	// CreatedAt When it arrived here.
	CreatedAt Time      `json:"created_at"`
	FromEmail string    `json:"from_email"`
	ID        uuid.UUID `json:"id"`
	Processed bool      `json:"processed"`
	Subject   *string   `json:"subject"`
	Tags      []string  `json:"tags"`
}

// Login defines model for Login.
type Login struct {
	CreatedAt Time `json:"created_at"`

	// Current Whether it is the one that asks.
	Current bool `json:"current"`

	// Device What the browser calls itself.
	Device    string    `json:"device"`
	ExpiresAt Time      `json:"expires_at"`
	ID        uuid.UUID `json:"id"`

	// IP From where it was used last.
	IP         string `json:"ip"`
	LastSeenAt Time   `json:"last_seen_at"`
}

// LoginBody is what Login sends.
type LoginBody struct {
	Email    string `json:"email"`
	Password string `json:"password"`

	// TotpCode The code that the authenticator app shows, or a recovery code.
	TotpCode *string `json:"totp_code,omitempty"`
}

// MadeSharedLink defines model for MadeSharedLink.
type MadeSharedLink struct {
	ID        uuid.UUID `json:"id"`
	ShortCode string    `json:"short_code"`

	// ShortURL The page.
	ShortURL string `json:"short_url"`
}

// Me defines model for Me.
type Me struct {
	Accounts []Account `json:"accounts"`
	User     User      `json:"user"`
}

// MeetingMinutes defines model for MeetingMinutes.
type MeetingMinutes struct {
	AccountID uuid.UUID  `json:"account_id"`
	Attendees []string   `json:"attendees"`
	CompanyID *uuid.UUID `json:"company_id"`

	// Content Markdown.
	Content     *string   `json:"content"`
	CreatedAt   Time      `json:"created_at"`
	ID          uuid.UUID `json:"id"`
	MeetingDate *Time     `json:"meeting_date"`

	// Metadata Free-form.
	Metadata map[string]interface{} `json:"metadata"`

	// Processed False at first.
	Processed bool   `json:"processed"`
	Title     string `json:"title"`
	UpdatedAt Time   `json:"updated_at"`
}

// Member defines model for Member.
type Member struct {
	AccountID uuid.UUID `json:"account_id"`
	CreatedAt Time      `json:"created_at"`
	Email     string    `json:"email"`

	// EmailVerified Whether the address is proven to be theirs, by a mailed link or by the operator. Users without a proven address are members of one account only.
	EmailVerified bool `json:"email_verified"`

	// ID The membership's.
	ID         uuid.UUID `json:"id"`
	Name       string    `json:"name"`
	PictureURL *string   `json:"picture_url"`

	// Role Members work with deals; owners and admins also change the team's settings; owners also make and change owners.
	Role   Role      `json:"role"`
	UserID uuid.UUID `json:"user_id"`
}

// Merge defines model for Merge.
type Merge struct {
	// CompanyID The company that survives.
	CompanyID uuid.UUID `json:"company_id"`
	ID        uuid.UUID `json:"id"`

	// Kept The conflicts of its undo.
	Kept     []UnmergeConflict `json:"kept"`
	MergedAt Time              `json:"merged_at"`

	// MergedBy The name of who did it.
	MergedBy   *string   `json:"merged_by"`
	MergedID   uuid.UUID `json:"merged_id"`
	MergedName string    `json:"merged_name"`
	UndoneAt   *Time     `json:"undone_at"`
	UndoneBy   *string   `json:"undone_by"`
}

// MergeCompanyBody is what MergeCompany sends.
type MergeCompanyBody struct {
	// DryRun Change nothing, and answer what would be.
	DryRun *bool `json:"dry_run,omitempty"`

	// IntoCompanyID The company that survives, another one of the same account.
	IntoCompanyID uuid.UUID `json:"into_company_id"`

	// Keep Whose value a field has afterwards, by the `field` of a conflict.
	Keep map[string]MergeCompanyBodyKeep `json:"keep,omitempty"`
}

// MergeCompanyBodyKeep defines model for MergeCompanyBody.Keep.
type MergeCompanyBodyKeep string

// MergeCompanyData is what MergeCompany answers.
type MergeCompanyData struct {
	Company   Company         `json:"company"`
	Conflicts []MergeConflict `json:"conflicts"`
	Merge     *Merge          `json:"merge"`
	Moves     MergeMoves      `json:"moves"`
}

// MergeConflict defines model for MergeConflict.
type MergeConflict struct {
	Choices []MergeConflictChoices `json:"choices"`

	// Field A member of a company that people set, such as `name` or `notes`; `deck`, or `metadata.` and a member of it.
	Field string `json:"field"`

	// Into The value of the company that survives; null where it has none.
	Into interface{}       `json:"into"`
	Keep MergeConflictKeep `json:"keep"`

	// Merged That of the other one.
	Merged interface{} `json:"merged"`

	// Value The value afterwards.
	Value interface{} `json:"value"`
}

// MergeConflictChoices defines model for MergeConflict.Choices.
type MergeConflictChoices string

// MergeConflictKeep defines model for MergeConflict.Keep.
type MergeConflictKeep string

// MergeMoves defines model for MergeMoves.
type MergeMoves struct {
	Emails          int `json:"emails"`
	Files           int `json:"files"`
	FormSubmissions int `json:"form_submissions"`
	MeetingMinutes  int `json:"meeting_minutes"`
	SharedLinks     int `json:"shared_links"`
}

// Metadata Free-form: members that a client sent are returned unchanged, whatever their types. An analysis adds `founders`, `ai_analysis` and `analyzed_at` where the
// client gave none.
type Metadata = map[string]interface{}

// Pagination defines model for Pagination.
type Pagination struct {
	HasNext bool `json:"has_next"`
	HasPrev bool `json:"has_prev"`
	Limit   int  `json:"limit"`

	// NextCursor What `cursor` takes for the page after this one; null at the end.
	NextCursor *string `json:"next_cursor"`
	Page       int     `json:"page"`
}

// Readiness defines model for Readiness.
type Readiness struct {
	// Degraded What does not work though requests are served.
	Degraded []ReadinessDegraded `json:"degraded"`

	// Redis `ok`, or the reason why it does not work.
	Redis  string          `json:"redis"`
	Status ReadinessStatus `json:"status"`

	// Storage `ok`, or the reason why it does not work.
	Storage string `json:"storage"`

	// Version The version of the process, with the git revision unless it is a release.
	Version string `json:"version"`

	// Workers How many workers gave a sign of life.
	Workers int `json:"workers"`
}

// ReadinessDegraded defines model for Readiness.Degraded.
type ReadinessDegraded string

// ReadinessStatus defines model for Readiness.Status.
type ReadinessStatus string

// Receipt defines model for Receipt.
type Receipt struct {
	ContentType string `json:"content_type"`
	CreatedAt   Time   `json:"created_at"`

	// Error Why it failed.
	Error      *string   `json:"error"`
	FinishedAt *Time     `json:"finished_at"`
	ID         uuid.UUID `json:"id"`

	// Size Bytes.
	Size   int           `json:"size"`
	Status ReceiptStatus `json:"status"`
}

// ReceiptStatus defines model for Receipt.Status.
type ReceiptStatus string

// ReceiveHookBody is what ReceiveHook sends.
type ReceiveHookBody = map[string]interface{}

// ReceiveHookData is what ReceiveHook answers.
type ReceiveHookData struct {
	Status ReceiveHookDataStatus `json:"status"`
}

// ReceiveHookDataStatus defines model for ReceiveHookData.Status.
type ReceiveHookDataStatus string

// RegisterBody is what Register sends.
type RegisterBody struct {
	// AccountName Something that can be seen.
	AccountName string `json:"account_name"`
	Email       string `json:"email"`

	// Name Something that can be seen.
	Name     string `json:"name"`
	Password string `json:"password"`
}

// ReplayWebhookBody is what ReplayWebhook sends.
type ReplayWebhookBody struct {
	// FailedOnly Only what failed.
	FailedOnly *bool `json:"failed_only,omitempty"`
	Since      Time  `json:"since"`
}

// ReplayWebhookData is what ReplayWebhook answers.
type ReplayWebhookData struct {
	HasMore bool `json:"has_more"`

	// NextSince Null if there are no more.
	NextSince *Time `json:"next_since"`
	Replayed  int   `json:"replayed"`
}

// ResetPasswordBody is what ResetPassword sends.
type ResetPasswordBody struct {
	Password string `json:"password"`
	Token    string `json:"token"`
}

// RestoredFile defines model for RestoredFile.
type RestoredFile struct {
	// Created False where it was here already.
	Created bool `json:"created"`

	// Path Its path in the archive.
	Path   string           `json:"path"`
	Sha256 string           `json:"sha256"`
	Type   RestoredFileType `json:"type"`
}

// RestoredFileType defines model for RestoredFile.Type.
type RestoredFileType string

// ReviewAnalysisBody is what ReviewAnalysis sends.
type ReviewAnalysisBody struct {
	// Reviewed The entries that somebody has reviewed; entries that are not to be reviewed are ignored.
	Reviewed []string `json:"reviewed,omitzero"`
}

// ReviewAnalysisData is what ReviewAnalysis answers.
type ReviewAnalysisData struct {
	Analysis *AIAnalysis `json:"analysis"`
}

// Role Members work with deals; owners and admins also change the team's settings; owners also make and change owners.
type Role string

// RotateIntegrationData is what RotateIntegration answers.
type RotateIntegrationData struct {
	Integration Integration `json:"integration"`

	// Secret Null when the request is sent again with its `Idempotency-Key`.
	Secret *string `json:"secret"`
}

// SavedView defines model for SavedView.
type SavedView struct {
	AccountID uuid.UUID `json:"account_id"`

	// Columns The columns of the table beside the name.
	Columns []SavedViewColumn `json:"columns"`

	// CompanyStatusID The id of a status, `no_status` for companies without one, null for any.
	CompanyStatusID *string   `json:"company_status_id"`
	CreatedAt       Time      `json:"created_at"`
	CreatedBy       uuid.UUID `json:"created_by"`
	ID              uuid.UUID `json:"id"`
	Name            string    `json:"name"`

	// Search Words of which every one must occur; empty for any.
	Search string `json:"search"`

	// Shared Whether every member of the account sees it.
	Shared    bool           `json:"shared"`
	SortBy    SavedViewSort  `json:"sort_by"`
	SortOrder SavedViewOrder `json:"sort_order"`

	// Source Null for any.
	Source    *string `json:"source"`
	UpdatedAt Time    `json:"updated_at"`
}

// SavedViewColumn defines model for SavedViewColumn.
type SavedViewColumn string

// SavedViewData defines model for SavedViewData.
type SavedViewData struct {
	SavedView SavedView `json:"saved_view"`
}

// SavedViewOrder defines model for SavedViewOrder.
type SavedViewOrder string

// SavedViewSort defines model for SavedViewSort.
type SavedViewSort string

// Scopes What the key may do. `read`: every GET, those of integrations and of the audit log aside. `write`: every POST, PATCH and DELETE of deals. `admin`: the
// settings of a team (statuses, fields, members, invitations, integrations, audit log), keys, passwords and sessions. None of them contains another.
type Scopes = []string

// ShareCompanyBody is what ShareCompany sends.
type ShareCompanyBody struct {
	// UserID A member of the company's account.
	UserID uuid.UUID `json:"user_id"`
}

// SharePermissions The deck alone; also the company's fields, but neither notes nor source content; also notes and attachments.
type SharePermissions string

// SharedLink defines model for SharedLink.
type SharedLink struct {
	AccountID uuid.UUID `json:"account_id"`

	// AskEmail Who opens the page must give an email address, which is not verified.
	AskEmail bool `json:"ask_email"`

	// Companies Those that the caller sees, in the order in which they are shown.
	Companies []SharedLinkCompanies `json:"companies"`
	CreatedAt Time                  `json:"created_at"`

	// CreatedBy As whom the page is read.
	CreatedBy   uuid.UUID `json:"created_by"`
	Description *string   `json:"description"`
	ExpiresAt   *Time     `json:"expires_at"`
	ID          uuid.UUID `json:"id"`

	// IsActive The page opens: the link has not expired, and its maker is still in the team.
	IsActive bool `json:"is_active"`

	// LastOpenedAt When that was last.
	LastOpenedAt      *Time   `json:"last_opened_at"`
	Name              *string `json:"name"`
	PasswordProtected bool    `json:"password_protected"`
	ShortCode         string  `json:"short_code"`

	// ShortURL The page.
	ShortURL  string `json:"short_url"`
	UpdatedAt Time   `json:"updated_at"`

	// ViewCount How often people opened the page with anything on it. Previews by chat programs and visits of search engines are not counted.
	ViewCount int `json:"view_count"`

	// ViewOnly The decks are shown page by page, no file can be downloaded, and no link leads to a deck elsewhere that is also shown here.
	ViewOnly bool `json:"view_only"`

	// Watermark The pages of the decks carry the visitor's address.
	Watermark bool `json:"watermark"`
}

// SharedLinkCompanies defines model for SharedLinkCompanies.
type SharedLinkCompanies struct {
	CompanyID   uuid.UUID `json:"company_id"`
	CompanyName string    `json:"company_name"`

	// Permissions The deck alone; also the company's fields, but neither notes nor source content; also notes and attachments.
	Permissions SharePermissions `json:"permissions"`
}

// Source defines model for Source.
type Source string

// StartTOTPBody is what StartTOTP sends.
type StartTOTPBody struct {
	Password string `json:"password"`
}

// StartTOTPData is what StartTOTP answers.
type StartTOTPData struct {
	// OtpauthURL For a QR code.
	OtpauthURL string `json:"otpauth_url"`

	// Secret In base32.
	Secret string `json:"secret"`
}

// StopTOTPBody is what StopTOTP sends.
type StopTOTPBody struct {
	Password string `json:"password"`
}

// UnmergeConflict defines model for UnmergeConflict.
type UnmergeConflict struct {
	// Field Of a company.
	Field *string   `json:"field,omitempty"`
	ID    uuid.UUID `json:"id"`

	// Kind `company`, or what of it: `company_files`, `meeting_minutes`, `form_submissions`, `company_assignees`, `company_shares` (by the user), `email_companies` (by the email) and the like.
	Kind   string                `json:"kind"`
	Reason UnmergeConflictReason `json:"reason"`
}

// UnmergeConflictReason defines model for UnmergeConflict.Reason.
type UnmergeConflictReason string

// UnmergeData defines model for UnmergeData.
type UnmergeData struct {
	Company   Company           `json:"company"`
	Conflicts []UnmergeConflict `json:"conflicts"`
	Merge     Merge             `json:"merge"`
}

// UpdateEmailBody is what UpdateEmail sends.
type UpdateEmailBody struct {
	// CompanyIds Companies of this account that the caller sees.
	CompanyIds []uuid.UUID `json:"company_ids,omitzero"`
	Processed  *bool       `json:"processed,omitempty"`

	// Tags A tag that is there twice is kept once.
	Tags []string `json:"tags,omitzero"`
}

// UpdateFormSubmissionBody is what UpdateFormSubmission sends.
type UpdateFormSubmissionBody struct {
	// CompanyID A company of this account that the caller sees.
	CompanyID Change[uuid.UUID] `json:"company_id,omitzero"`

	// Metadata Its members replace those of the same name, the others stay; all together at most 2 MB.
	Metadata  map[string]interface{} `json:"metadata,omitempty"`
	Processed *bool                  `json:"processed,omitempty"`
}

// UpdateMeetingMinutesBody is what UpdateMeetingMinutes sends.
type UpdateMeetingMinutesBody struct {
	Attendees []string `json:"attendees,omitzero"`

	// CompanyID A company of this account that the caller sees.
	CompanyID Change[uuid.UUID] `json:"company_id,omitzero"`

	// Content Markdown.
	Content Change[string] `json:"content,omitzero"`

	// MeetingDate RFC 3339, with any offset.
	MeetingDate Change[Time] `json:"meeting_date,omitzero"`

	// Metadata Its members replace those of the same name, the others stay; all together at most 2 MB.
	Metadata  map[string]interface{} `json:"metadata,omitempty"`
	Processed *bool                  `json:"processed,omitempty"`
	Title     *string                `json:"title,omitempty"`
}

// User defines model for User.
type User struct {
	CreatedAt Time   `json:"created_at"`
	Email     string `json:"email"`

	// EmailVerified Whether the address is proven to be theirs, by a mailed link or by the operator. Users without a proven address are members of one account only.
	EmailVerified bool      `json:"email_verified"`
	ID            uuid.UUID `json:"id"`
	Name          string    `json:"name"`
	PictureURL    *string   `json:"picture_url"`

	// TotpEnabled Whether a login needs a code beside the password.
	TotpEnabled bool `json:"totp_enabled"`
	UpdatedAt   Time `json:"updated_at"`
}

// VerifyEmailBody is what VerifyEmail sends.
type VerifyEmailBody struct {
	Token string `json:"token"`
}

// Visibility `team`: every member of the account. `shared`: its creator, its assignees and those it was shared with. `private`: its creator alone.
type Visibility string

// Webhook defines model for Webhook.
type Webhook struct {
	CreatedAt   Time      `json:"created_at"`
	CreatedBy   uuid.UUID `json:"created_by"`
	Description string    `json:"description"`

	// DisabledReason Why it was disabled, where it failed.
	DisabledReason *string `json:"disabled_reason"`
	Enabled        bool    `json:"enabled"`

	// Events All if there are none.
	Events []ChangeType `json:"events"`

	// FailingSince Later by days without an attempt.
	FailingSince *Time     `json:"failing_since"`
	ID           uuid.UUID `json:"id"`
	UpdatedAt    Time      `json:"updated_at"`
	URL          string    `json:"url"`
}

// WebhookData defines model for WebhookData.
type WebhookData struct {
	Webhook Webhook `json:"webhook"`
}

// WebhookDelivery defines model for WebhookDelivery.
type WebhookDelivery struct {
	AttemptedAt *Time `json:"attempted_at"`
	Attempts    int   `json:"attempts"`

	// Body What is sent and signed.
	Body      string  `json:"body"`
	CreatedAt Time    `json:"created_at"`
	Error     *string `json:"error"`
	Event     string  `json:"event"`

	// ID The `webhook-id` of the message.
	ID            uuid.UUID            `json:"id"`
	NextAttemptAt *Time                `json:"next_attempt_at"`
	State         WebhookDeliveryState `json:"state"`
	StatusCode    *int                 `json:"status_code"`
}

// WebhookDeliveryState defines model for WebhookDelivery.State.
type WebhookDeliveryState string

// WebhookSecretData defines model for WebhookSecretData.
type WebhookSecretData struct {
	// Secret Null when the request is sent again with its `Idempotency-Key`.
	Secret  *string `json:"secret"`
	Webhook Webhook `json:"webhook"`
}

// AccountID defines model for account_id.
type AccountID = uuid.UUID

// After defines model for after.
type After = string

// CompanyID defines model for company_id.
type CompanyID = uuid.UUID

// Cursor defines model for cursor.
type Cursor = string

// Kinds defines model for kinds.
type Kinds = []ChangeKind

// Limit defines model for limit.
type Limit = int

// Page defines model for page.
type Page = int

// UpdatedSince defines model for updated_since.
type UpdatedSince = Time

// WholeLimit defines model for whole_limit.
type WholeLimit = int

// ListAccountsParams defines parameters for ListAccounts.
type ListAccountsParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page; without it, all up to a thousand.
	Limit *WholeLimit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`
}

// GetAuditLogParams defines parameters for GetAuditLog.
type GetAuditLogParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page.
	Limit *Limit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`

	// ActorID Only what this user did.
	ActorID *uuid.UUID `form:"actor_id,omitempty" json:"actor_id,omitempty"`

	// Action Only this action.
	Action *string `form:"action,omitempty" json:"action,omitempty"`
}

// ListChangesParams defines parameters for ListChanges.
type ListChangesParams struct {
	// After A cursor of the account's changes, or `now` for what happens from now on. Without it, from the oldest change that is kept.
	After *After `form:"after,omitempty" json:"after,omitempty"`

	// Kinds Only of these kinds of things, separated by commas. A cursor may be sent with other kinds than those it came with.
	Kinds Kinds `form:"kinds,omitempty" json:"kinds,omitempty"`

	// Limit How many changes at most.
	Limit *int `form:"limit,omitempty" json:"limit,omitempty"`
}

// ListCompanySettingsParams defines parameters for ListCompanySettings.
type ListCompanySettingsParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page; without it, all up to a thousand.
	Limit *WholeLimit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`
}

// ListCompanyStatusesParams defines parameters for ListCompanyStatuses.
type ListCompanyStatusesParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page; without it, all up to a thousand.
	Limit *WholeLimit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`
}

// DeleteCompanyStatusParams defines parameters for DeleteCompanyStatus.
type DeleteCompanyStatusParams struct {
	// MoveTo The status that companies with this one get.
	MoveTo *uuid.UUID `form:"move_to,omitempty" json:"move_to,omitempty"`
}

// GetDashboardParams defines parameters for GetDashboard.
type GetDashboardParams struct {
	// Days How many days the chart of companies over time has; today is the last of them.
	Days *int `form:"days,omitempty" json:"days,omitempty"`
}

// ListEmailsParams defines parameters for ListEmails.
type ListEmailsParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page.
	Limit *Limit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`

	// UpdatedSince Only what was created or changed at this time or later. To follow changes, sort by `updated_at` if the list can be sorted.
	UpdatedSince *UpdatedSince `form:"updated_since,omitempty" json:"updated_since,omitempty"`

	// SortBy The id breaks ties, so that the order is total.
	SortBy *ListEmailsParamsSortBy `form:"sort_by,omitempty" json:"sort_by,omitempty"`

	// SortOrder `asc` returns the oldest first.
	SortOrder *ListEmailsParamsSortOrder `form:"sort_order,omitempty" json:"sort_order,omitempty"`

	// Search Every word of it must occur in the subject, the addresses, the names or the content: whole words, whatever their case. What holds no word finds nothing.
	Search *string `form:"search,omitempty" json:"search,omitempty"`

	// FromEmail The whole address of the sender, whatever its case.
	FromEmail *string `form:"from_email,omitempty" json:"from_email,omitempty"`

	// CompanyID Those of this company only; none if the caller does not see it.
	CompanyID *uuid.UUID `form:"company_id,omitempty" json:"company_id,omitempty"`

	// Processed Only those with this flag.
	Processed *bool `form:"processed,omitempty" json:"processed,omitempty"`

	// Tag Emails with this tag, in this very case.
	Tag *string `form:"tag,omitempty" json:"tag,omitempty"`
}

// ListEmailsParamsSortBy defines parameters for ListEmails.
type ListEmailsParamsSortBy string

// ListEmailsParamsSortOrder defines parameters for ListEmails.
type ListEmailsParamsSortOrder string

// ListFormSubmissionsParams defines parameters for ListFormSubmissions.
type ListFormSubmissionsParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page.
	Limit *Limit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`

	// UpdatedSince Only what was created or changed at this time or later. To follow changes, sort by `updated_at` if the list can be sorted.
	UpdatedSince *UpdatedSince `form:"updated_since,omitempty" json:"updated_since,omitempty"`

	// SortBy The id breaks ties, so that the order is total.
	SortBy *ListFormSubmissionsParamsSortBy `form:"sort_by,omitempty" json:"sort_by,omitempty"`

	// SortOrder `asc` returns the oldest first.
	SortOrder *ListFormSubmissionsParamsSortOrder `form:"sort_order,omitempty" json:"sort_order,omitempty"`

	// CompanyID Those of this company only; none if the caller does not see it.
	CompanyID *uuid.UUID `form:"company_id,omitempty" json:"company_id,omitempty"`

	// Processed Only those with this flag.
	Processed *bool `form:"processed,omitempty" json:"processed,omitempty"`

	// IntegrationType Where they come from. `tally` is another name of `integration_a`, `typeform` of `integration_b`.
	IntegrationType *ListFormSubmissionsParamsIntegrationType `form:"integration_type,omitempty" json:"integration_type,omitempty"`
}

// ListFormSubmissionsParamsSortBy defines parameters for ListFormSubmissions.
type ListFormSubmissionsParamsSortBy string

// ListFormSubmissionsParamsSortOrder defines parameters for ListFormSubmissions.
type ListFormSubmissionsParamsSortOrder string

// ListFormSubmissionsParamsIntegrationType defines parameters for ListFormSubmissions.
type ListFormSubmissionsParamsIntegrationType string

// ListImportsParams defines parameters for ListImports.
type ListImportsParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page.
	Limit *Limit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`
}

// ListIntegrationsParams defines parameters for ListIntegrations.
type ListIntegrationsParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page; without it, all up to a thousand.
	Limit *WholeLimit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`
}

// ListReceiptsParams defines parameters for ListReceipts.
type ListReceiptsParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page; without it, all up to a thousand.
	Limit *WholeLimit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`
}

// ListMeetingMinutesParams defines parameters for ListMeetingMinutes.
type ListMeetingMinutesParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page.
	Limit *Limit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`

	// UpdatedSince Only what was created or changed at this time or later. To follow changes, sort by `updated_at` if the list can be sorted.
	UpdatedSince *UpdatedSince `form:"updated_since,omitempty" json:"updated_since,omitempty"`

	// CompanyID Those of this company only; none if the caller does not see it.
	CompanyID *uuid.UUID `form:"company_id,omitempty" json:"company_id,omitempty"`

	// Processed Only those with this flag.
	Processed *bool `form:"processed,omitempty" json:"processed,omitempty"`
}

// ListMembersParams defines parameters for ListMembers.
type ListMembersParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page; without it, all up to a thousand.
	Limit *WholeLimit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`
}

// ListSavedViewsParams defines parameters for ListSavedViews.
type ListSavedViewsParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page; without it, all up to a thousand.
	Limit *WholeLimit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`
}

// ListSharedLinksParams defines parameters for ListSharedLinks.
type ListSharedLinksParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page; without it, all up to a thousand.
	Limit *WholeLimit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`
}

// ListWebhooksParams defines parameters for ListWebhooks.
type ListWebhooksParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page; without it, all up to a thousand.
	Limit *WholeLimit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`
}

// ListDeliveriesParams defines parameters for ListDeliveries.
type ListDeliveriesParams struct {
	// State Only messages of this state.
	State *ListDeliveriesParamsState `form:"state,omitempty" json:"state,omitempty"`

	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page.
	Limit *Limit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`
}

// ListDeliveriesParamsState defines parameters for ListDeliveries.
type ListDeliveriesParamsState string

// ListAPIKeysParams defines parameters for ListAPIKeys.
type ListAPIKeysParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page; without it, all up to a thousand.
	Limit *WholeLimit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`
}

// ListSessionsParams defines parameters for ListSessions.
type ListSessionsParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page; without it, all up to a thousand.
	Limit *WholeLimit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`
}

// ListCompaniesParams defines parameters for ListCompanies.
type ListCompaniesParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page.
	Limit *Limit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`

	// UpdatedSince Only what was created or changed at this time or later. To follow changes, sort by `updated_at` if the list can be sorted.
	UpdatedSince *UpdatedSince `form:"updated_since,omitempty" json:"updated_since,omitempty"`

	// SortBy By name whatever the case. The id breaks ties.
	SortBy     *ListCompaniesParamsSortBy    `form:"sort_by,omitempty" json:"sort_by,omitempty"`
	SortOrder  *ListCompaniesParamsSortOrder `form:"sort_order,omitempty" json:"sort_order,omitempty"`
	Search     *string                       `form:"search,omitempty" json:"search,omitempty"`
	Visibility *Visibility                   `form:"visibility,omitempty" json:"visibility,omitempty"`
	Source     *Source                       `form:"source,omitempty" json:"source,omitempty"`

	// CompanyStatusID Companies with this status, or with `no_status` those without one.
	CompanyStatusID *string `form:"company_status_id,omitempty" json:"company_status_id,omitempty"`

	// AccountID Companies of this account only.
	AccountID *uuid.UUID `form:"account_id,omitempty" json:"account_id,omitempty"`

	// IncludeDownloadUrls Adds `pdf_download_url` to each company, null for one without a stored deck.
	IncludeDownloadUrls *bool `form:"include_download_urls,omitempty" json:"include_download_urls,omitempty"`
}

// ListCompaniesParamsSortBy defines parameters for ListCompanies.
type ListCompaniesParamsSortBy string

// ListCompaniesParamsSortOrder defines parameters for ListCompanies.
type ListCompaniesParamsSortOrder string

// GetCompanyParams defines parameters for GetCompany.
type GetCompanyParams struct {
	// IncludeDownloadURL Fills `pdf_download_url`, a signed URL for the stored deck that holds for an hour.
	IncludeDownloadURL *bool `form:"include_download_url,omitempty" json:"include_download_url,omitempty"`
}

// ChangeCompanyParams defines parameters for ChangeCompany.
type ChangeCompanyParams struct {
	// IncludeDownloadURL Fills `pdf_download_url`.
	IncludeDownloadURL *bool `form:"include_download_url,omitempty" json:"include_download_url,omitempty"`
}

// ListAttachmentsParams defines parameters for ListAttachments.
type ListAttachmentsParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page; without it, all up to a thousand.
	Limit *WholeLimit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`
}

// DownloadAttachmentParams defines parameters for DownloadAttachment.
type DownloadAttachmentParams struct {
	// ExpiresIn Minutes until the URL expires.
	ExpiresIn *int `form:"expires_in,omitempty" json:"expires_in,omitempty"`
}

// DownloadDeckParams defines parameters for DownloadDeck.
type DownloadDeckParams struct {
	// ExpiresIn Minutes until the URL expires.
	ExpiresIn *int `form:"expires_in,omitempty" json:"expires_in,omitempty"`
}

// ListMergesParams defines parameters for ListMerges.
type ListMergesParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page; without it, all up to a thousand.
	Limit *WholeLimit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`
}

// ListSharesParams defines parameters for ListShares.
type ListSharesParams struct {
	// Page The number of a page; far from the first one, a cursor is faster. Not together with `cursor`.
	Page *Page `form:"page,omitempty" json:"page,omitempty"`

	// Limit Items on a page; without it, all up to a thousand.
	Limit *WholeLimit `form:"limit,omitempty" json:"limit,omitempty"`

	// Cursor The `next_cursor` of the page before, of the same list with the same filters and the same order, else 400. What is written meanwhile before the place that it marks shifts nothing; what is there for the whole time is on exactly one page, unless its own place in the order changes.
	Cursor *Cursor `form:"cursor,omitempty" json:"cursor,omitempty"`
}

func (p ListAccountsParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	return q
}

// ListAccounts: list the caller's accounts.
//
// Every account that the caller belongs to, with their role in it.
//
// GET /accounts
func (c *Client) ListAccounts(ctx context.Context, params ListAccountsParams, options ...Option) (ListAccountsData, error) {
	var data ListAccountsData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts"), query: params.query(),
	}, &data, options)
	return data, err
}

func (p GetAuditLogParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	put(q, "actor_id", p.ActorID)
	put(q, "action", p.Action)
	return q
}

// GetAuditLog: list who changed what, and from where.
//
// The newest first. Only owners and admins may request it; a key needs the scope `admin`. Entries are kept for `AUDIT_RETENTION`, and nobody can change or remove one.
//
// `actor` is null for the operator's commands, and for `session.refused`. `ip` is null for the operator's commands. `changes` maps each
// member that changed to `from` and `to`; of secrets, long texts and metadata it says `changed` alone. What a company that the caller does
// not see is called, and what was changed of it, is null. What workers do, such as an analysis or an import, and what integrations bring is no entry.
//
// | `action` | `target.type` | what was done |
// |---|---|---|
// | `session.started`, `session.ended` | `session` | somebody logged in; a session was ended before its time. The target's name is the device |
// | `session.refused` | `user` | a wrong password or code was given for the user's address |
// | `totp.enabled`, `totp.disabled` | `user` | the second factor was turned on; off, by its owner or the operator |
// | `password.changed`, `password.reset` | `user` | by its owner or the operator; by a mailed link |
// | `email.verified` | `user` | the address is proven |
// | `key.created`, `key.revoked` | `key` | an API key of a member |
// | `key.used` | `key` | a key was used from an address, once in a day for each |
// | `account.created`, `account.updated` | `account` | |
// | `member.added`, `member.updated`, `member.removed` | `member` | a membership and its role |
// | `invitation.created`, `invitation.accepted`, `invitation.revoked` | `invitation` | |
// | `company_status.created`, `company_status.updated`, `company_status.deleted` | `company_status` | a stage; its rank is not followed |
// | `field.created`, `field.updated`, `field.deleted` | `field` | a company setting; its position is not followed |
// | `integration.created`, `integration.updated`, `integration.deleted` | `integration` | also its rotation |
// | `webhook.created`, `webhook.updated`, `webhook.deleted` | `webhook` | also its rotation |
// | `shared_link.created`, `shared_link.deleted` | `shared_link` | |
// | `import.undone` | `import` | |
// | `company.created`, `company.updated`, `company.deleted` | `company` | |
// | `company.merged`, `company.merge_undone` | `company` | the one that survives; `changes.merged_id` is the other |
// | `company.assigned`, `company.unassigned`, `company.shared`, `company.unshared` | `company` | `changes.user_id` says who |
// | `attachment.added`, `attachment.removed` | `company` | `changes.title` says what; also the deck |
// | `meeting_minutes.created`, `meeting_minutes.updated`, `meeting_minutes.deleted` | `meeting_minutes` | |
// | `form_submission.created`, `form_submission.updated` | `form_submission` | it has no name |
// | `email.updated` | `email` | its tags, and whether it is processed; the target's name is the subject |
// | `email.linked`, `email.unlinked` | `company` | `changes.email_id` says which email |
//
// Sign-ins, passwords and keys are in the logs of all accounts that their user was a member of then.
//
// GET /accounts/{account_id}/audit-log
func (c *Client) GetAuditLog(ctx context.Context, accountID AccountID, params GetAuditLogParams, options ...Option) (GetAuditLogData, error) {
	var data GetAuditLogData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/audit-log", accountID), query: params.query(),
	}, &data, options)
	return data, err
}

func (p ListChangesParams) query() url.Values {
	q := url.Values{}
	put(q, "after", p.After)
	putAll(q, "kinds", p.Kinds)
	put(q, "limit", p.Limit)
	return q
}

// ListChanges: follow what happens in an account.
//
// What was created, updated and deleted since a cursor, the oldest first: companies, meeting minutes, form submissions, emails and statuses. Ask again with
// `next_cursor` as `after`, at once while `has_more`, else after a while. Nothing is left out and nothing comes twice, whatever is written meanwhile: a
// change is shown once every transaction that began before it has ended, so one that takes long delays what came after it.
//
// A change says that a thing is another now, not what it is: read the thing. All that one transaction did to a thing is one change. Adding or removing an
// attachment, an assignee or a share updates its company; linking an email to a company updates the email.
//
// The caller reads of what they may see. A company that is shared with them is `updated`, though they never saw it before: take what is
// updated as what may be new. A company or a record that they may see no longer is `deleted` for them. With a company its minutes and submissions appear and
// disappear, without changes of their own.
//
// To keep a copy: take a cursor with `after=now`, read everything once by the lists, then follow from that cursor. Changes are kept for
// `CHANGES_RETENTION`; a cursor that is older, or of another installation, is 410 with the code `changes_gone`: start again without a cursor.
//
// GET /accounts/{account_id}/changes
func (c *Client) ListChanges(ctx context.Context, accountID AccountID, params ListChangesParams, options ...Option) (ListChangesData, error) {
	var data ListChangesData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/changes", accountID), query: params.query(),
	}, &data, options)
	return data, err
}

func (p ListCompanySettingsParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	return q
}

// ListCompanySettings: list an account's fields.
//
// In their order, and then by creation.
//
// GET /accounts/{account_id}/company-settings
func (c *Client) ListCompanySettings(ctx context.Context, accountID AccountID, params ListCompanySettingsParams, options ...Option) (ListCompanySettingsData, error) {
	var data ListCompanySettingsData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/company-settings", accountID), query: params.query(),
	}, &data, options)
	return data, err
}

// CreateCompanySetting: add a field.
//
// Owners and admins only. The field goes to the end. Two fields of an account cannot have the same name, whatever its case: 409 with the code
// `name_taken`. White space around names and options is dropped.
//
// POST /accounts/{account_id}/company-settings
func (c *Client) CreateCompanySetting(ctx context.Context, accountID AccountID, body CreateCompanySettingBody, options ...Option) (FieldSetting, error) {
	var data struct {
		Value FieldSetting `json:"field"`
	}
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/accounts/%s/company-settings", accountID), body: body,
	}, &data, options)
	return data.Value, err
}

// DeleteCompanySetting: delete a field.
//
// Owners and admins only. What companies hold under its name stays theirs.
//
// DELETE /accounts/{account_id}/company-settings/{id}
func (c *Client) DeleteCompanySetting(ctx context.Context, accountID AccountID, id uuid.UUID, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodDelete, path: expand("/accounts/%s/company-settings/%s", accountID, id),
	}, nil, options)
}

// ChangeCompanySetting: change a field.
//
// Owners and admins only. Only included members change, and none may be null. A field that gets a type without options loses its options; one that gets
// a type with options needs some.
//
// PATCH /accounts/{account_id}/company-settings/{id}
func (c *Client) ChangeCompanySetting(ctx context.Context, accountID AccountID, id uuid.UUID, body ChangeCompanySettingBody, options ...Option) (FieldSetting, error) {
	var data struct {
		Value FieldSetting `json:"field"`
	}
	err := c.call(ctx, request{
		method: http.MethodPatch, path: expand("/accounts/%s/company-settings/%s", accountID, id), body: body,
	}, &data, options)
	return data.Value, err
}

func (p ListCompanyStatusesParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	return q
}

// ListCompanyStatuses: list an account's statuses.
//
// In the order of the pipeline, by rank and then by creation. What is said of the page comes beside `data`, which is the list itself.
//
// GET /accounts/{account_id}/company-statuses
func (c *Client) ListCompanyStatuses(ctx context.Context, accountID AccountID, params ListCompanyStatusesParams, options ...Option) ([]CompanyStatus, error) {
	var data []CompanyStatus
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/company-statuses", accountID), query: params.query(),
	}, &data, options)
	return data, err
}

// CreateCompanyStatus: add a status.
//
// Owners and admins only; a plain member gets 403. Two statuses may share a name or a rank.
//
// POST /accounts/{account_id}/company-statuses
func (c *Client) CreateCompanyStatus(ctx context.Context, accountID AccountID, body CreateCompanyStatusBody, options ...Option) (EmbeddedStatus, error) {
	var data EmbeddedStatus
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/accounts/%s/company-statuses", accountID), body: body,
	}, &data, options)
	return data, err
}

func (p DeleteCompanyStatusParams) query() url.Values {
	q := url.Values{}
	put(q, "move_to", p.MoveTo)
	return q
}

// DeleteCompanyStatus: delete a status.
//
// Owners and admins only. 409 with the code `status_in_use` while any company has the status, also one that the caller does not see, unless `move_to`
// names another status of the account: then all of them move there, which is recorded as activity of those that the caller sees. Any other status may be deleted, the default
// and the last one too.
//
// DELETE /accounts/{account_id}/company-statuses/{id}
func (c *Client) DeleteCompanyStatus(ctx context.Context, accountID AccountID, id uuid.UUID, params DeleteCompanyStatusParams, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodDelete, path: expand("/accounts/%s/company-statuses/%s", accountID, id), query: params.query(),
	}, nil, options)
}

// ChangeCompanyStatus: change a status.
//
// Owners and admins only. Only included members change; `description: null` clears it, the others may not be null. `is_default: true` takes the mark
// from the status that has it; an account has one default at most.
//
// PATCH /accounts/{account_id}/company-statuses/{id}
func (c *Client) ChangeCompanyStatus(ctx context.Context, accountID AccountID, id uuid.UUID, body ChangeCompanyStatusBody, options ...Option) (EmbeddedStatus, error) {
	var data EmbeddedStatus
	err := c.call(ctx, request{
		method: http.MethodPatch, path: expand("/accounts/%s/company-statuses/%s", accountID, id), body: body,
	}, &data, options)
	return data, err
}

func (p GetDashboardParams) query() url.Values {
	q := url.Values{}
	put(q, "days", p.Days)
	return q
}

// GetDashboard: count what a team works on.
//
// Live figures of what the caller sees. Days, weeks and months are those of UTC; a week begins on Monday.
//
// GET /accounts/{account_id}/dashboard
func (c *Client) GetDashboard(ctx context.Context, accountID AccountID, params GetDashboardParams, options ...Option) (Dashboard, error) {
	var data Dashboard
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/dashboard", accountID), query: params.query(),
	}, &data, options)
	return data, err
}

func (p ListEmailsParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	put(q, "updated_since", p.UpdatedSince)
	put(q, "sort_by", p.SortBy)
	put(q, "sort_order", p.SortOrder)
	put(q, "search", p.Search)
	put(q, "from_email", p.FromEmail)
	put(q, "company_id", p.CompanyID)
	put(q, "processed", p.Processed)
	put(q, "tag", p.Tag)
	return q
}

// ListEmails: list an account's emails.
//
// Without their content. Every member sees every email of the account.
//
// GET /accounts/{account_id}/emails
func (c *Client) ListEmails(ctx context.Context, accountID AccountID, params ListEmailsParams, options ...Option) (ListEmailsData, error) {
	var data ListEmailsData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/emails", accountID), query: params.query(),
	}, &data, options)
	return data, err
}

// GetEmail: read an email.
//
// The whole email, with its content.
//
// GET /accounts/{account_id}/emails/{email_id}
func (c *Client) GetEmail(ctx context.Context, accountID AccountID, emailID uuid.UUID, options ...Option) (Email, error) {
	var data struct {
		Value Email `json:"email"`
	}
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/emails/%s", accountID, emailID),
	}, &data, options)
	return data.Value, err
}

// UpdateEmail: change an email.
//
// Members that are not sent do not change. `company_ids` replace those that the caller sees; what they do not see stays linked.
//
// PATCH /accounts/{account_id}/emails/{email_id}
func (c *Client) UpdateEmail(ctx context.Context, accountID AccountID, emailID uuid.UUID, body UpdateEmailBody, options ...Option) (Email, error) {
	var data struct {
		Value Email `json:"email"`
	}
	err := c.call(ctx, request{
		method: http.MethodPatch, path: expand("/accounts/%s/emails/%s", accountID, emailID), body: body,
	}, &data, options)
	return data.Value, err
}

func (p ListFormSubmissionsParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	put(q, "updated_since", p.UpdatedSince)
	put(q, "sort_by", p.SortBy)
	put(q, "sort_order", p.SortOrder)
	put(q, "company_id", p.CompanyID)
	put(q, "processed", p.Processed)
	put(q, "integration_type", p.IntegrationType)
	return q
}

// ListFormSubmissions: list an account's form submissions.
//
// Those that the caller sees.
//
// GET /accounts/{account_id}/form-submissions
func (c *Client) ListFormSubmissions(ctx context.Context, accountID AccountID, params ListFormSubmissionsParams, options ...Option) (ListFormSubmissionsData, error) {
	var data ListFormSubmissionsData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/form-submissions", accountID), query: params.query(),
	}, &data, options)
	return data, err
}

// CreateFormSubmission: add a form submission.
//
// A submission with a company is seen by those who see the company, the others by every member. When a company that the whole team sees is deleted, its submissions stay, without a company; those of any other company go with it. The answers come back to the letter as they were sent.
//
// POST /accounts/{account_id}/form-submissions
func (c *Client) CreateFormSubmission(ctx context.Context, accountID AccountID, body CreateFormSubmissionBody, options ...Option) (FormSubmission, error) {
	var data struct {
		Value FormSubmission `json:"submission"`
	}
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/accounts/%s/form-submissions", accountID), body: body,
	}, &data, options)
	return data.Value, err
}

// GetFormSubmission: read a form submission.
//
// One whose company is hidden from the caller is 404.
//
// GET /accounts/{account_id}/form-submissions/{submission_id}
func (c *Client) GetFormSubmission(ctx context.Context, accountID AccountID, submissionID uuid.UUID, options ...Option) (FormSubmission, error) {
	var data struct {
		Value FormSubmission `json:"submission"`
	}
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/form-submissions/%s", accountID, submissionID),
	}, &data, options)
	return data.Value, err
}

// UpdateFormSubmission: change a form submission.
//
// Members that are not sent do not change. `null` clears `company_id`.
//
// PATCH /accounts/{account_id}/form-submissions/{submission_id}
func (c *Client) UpdateFormSubmission(ctx context.Context, accountID AccountID, submissionID uuid.UUID, body UpdateFormSubmissionBody, options ...Option) (FormSubmission, error) {
	var data struct {
		Value FormSubmission `json:"submission"`
	}
	err := c.call(ctx, request{
		method: http.MethodPatch, path: expand("/accounts/%s/form-submissions/%s", accountID, submissionID), body: body,
	}, &data, options)
	return data.Value, err
}

func (p ListImportsParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	return q
}

// ListImports: list an account's imports.
//
// The newest first.
//
// GET /accounts/{account_id}/imports
func (c *Client) ListImports(ctx context.Context, accountID AccountID, params ListImportsParams, options ...Option) (ListImportsData, error) {
	var data ListImportsData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/imports", accountID), query: params.query(),
	}, &data, options)
	return data, err
}

// ImportAccountFile: import a file of an export.
//
// Takes a line of the type `file`, `email_attachment` or `email_message` together with its content, whose SHA-256 must be the line's. What the line refers to must be
// here. `created` is false where the file was here already: it may be sent again. Only owners and admins may; a key needs the scope `admin`.
//
// POST /accounts/{account_id}/imports/account/files
func (c *Client) ImportAccountFile(ctx context.Context, accountID AccountID, form AccountFileForm, options ...Option) (RestoredFile, error) {
	var data struct {
		Value RestoredFile `json:"file"`
	}
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/accounts/%s/imports/account/files", accountID), form: &form,
	}, &data, options)
	return data.Value, err
}

// GetImport: read an import.
//
// How far it has come.
//
// GET /accounts/{account_id}/imports/{import_id}
func (c *Client) GetImport(ctx context.Context, accountID AccountID, importID uuid.UUID, options ...Option) (Import, error) {
	var data struct {
		Value Import `json:"import"`
	}
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/imports/%s", accountID, importID),
	}, &data, options)
	return data.Value, err
}

// CancelImport: cancel an import.
//
// No further batch is written; records that were written stay. A repeated request changes nothing; 409 with the code `import_over` for an import that has ended in another way.
//
// POST /accounts/{account_id}/imports/{import_id}/cancel
func (c *Client) CancelImport(ctx context.Context, accountID AccountID, importID uuid.UUID, options ...Option) (Import, error) {
	var data struct {
		Value Import `json:"import"`
	}
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/accounts/%s/imports/%s/cancel", accountID, importID),
	}, &data, options)
	return data.Value, err
}

// UndoImport: undo an import.
//
// Removes what the import brought, with the companies that were made of it and what was linked to others by it, so that the account is as it was before. What somebody
// changed since is kept, and so is what something that came later belongs to; `…/kept` lists it with the reasons. A worker does it, a batch at a time: `undo` of the import
// has how far it has come, and `…/events` each step; in the end the import's `status` is `undone`, and `kept` counts what is left. Asking again changes nothing; an undo that `failed` goes on where it stopped.
//
// An import of a whole account is undone by admins alone. What you do not see stays. 409 with the code `import_running` while it is still written, and `import_not_noted`
// where it was made by a version of the service that did not note what imports brought.
//
// POST /accounts/{account_id}/imports/{import_id}/undo
func (c *Client) UndoImport(ctx context.Context, accountID AccountID, importID uuid.UUID, options ...Option) (CancelImportData, error) {
	var data CancelImportData
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/accounts/%s/imports/%s/undo", accountID, importID),
	}, &data, options)
	return data, err
}

func (p ListIntegrationsParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	return q
}

// ListIntegrations: list integrations.
//
// Only owners and admins may see them. Secrets are never shown again.
//
// GET /accounts/{account_id}/integrations
func (c *Client) ListIntegrations(ctx context.Context, accountID AccountID, params ListIntegrationsParams, options ...Option) (ListIntegrationsData, error) {
	var data ListIntegrationsData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/integrations", accountID), query: params.query(),
	}, &data, options)
	return data, err
}

// CreateIntegration: make an integration.
//
// Only owners and admins may. Give the form tool or mail service `hook_url`, and the secret to sign with; the secret is shown in this answer and never again. What
// comes in is received as the user who made the integration, or, where they have left the team, as its oldest owner.
//
// POST /accounts/{account_id}/integrations
func (c *Client) CreateIntegration(ctx context.Context, accountID AccountID, body CreateIntegrationBody, options ...Option) (CreateIntegrationData, error) {
	var data CreateIntegrationData
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/accounts/%s/integrations", accountID), body: body,
	}, &data, options)
	return data, err
}

// DeleteIntegration: delete an integration.
//
// Only owners and admins may. Its URL is unknown (404) at once; what it brought stays.
//
// DELETE /accounts/{account_id}/integrations/{id}
func (c *Client) DeleteIntegration(ctx context.Context, accountID AccountID, id uuid.UUID, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodDelete, path: expand("/accounts/%s/integrations/%s", accountID, id),
	}, nil, options)
}

// ChangeIntegration: change an integration.
//
// Only owners and admins may. One that is not `enabled` refuses what is sent with 403. With Mailgun's `signing_key` (of the kind `email` alone; null takes it away)
// Mailgun's own signature counts as well. What is left out stays.
//
// PATCH /accounts/{account_id}/integrations/{id}
func (c *Client) ChangeIntegration(ctx context.Context, accountID AccountID, id uuid.UUID, body ChangeIntegrationBody, options ...Option) (Integration, error) {
	var data struct {
		Value Integration `json:"integration"`
	}
	err := c.call(ctx, request{
		method: http.MethodPatch, path: expand("/accounts/%s/integrations/%s", accountID, id), body: body,
	}, &data, options)
	return data.Value, err
}

func (p ListReceiptsParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	return q
}

// ListReceipts: list an integration's receipts.
//
// Mails of more than 256 KiB are stored when they come, and a worker takes them in. They are listed with what became of them; what `failed` says why. Sending such a
// mail again tries it again. Only owners and admins may see them.
//
// GET /accounts/{account_id}/integrations/{id}/receipts
func (c *Client) ListReceipts(ctx context.Context, accountID AccountID, id uuid.UUID, params ListReceiptsParams, options ...Option) (ListReceiptsData, error) {
	var data ListReceiptsData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/integrations/%s/receipts", accountID, id), query: params.query(),
	}, &data, options)
	return data, err
}

// RotateIntegration: renew an integration's secret.
//
// Only owners and admins may. The old secret counts no more from now on, and `hook_url` stays. The new one is shown in this answer and never again.
//
// POST /accounts/{account_id}/integrations/{id}/rotate
func (c *Client) RotateIntegration(ctx context.Context, accountID AccountID, id uuid.UUID, options ...Option) (RotateIntegrationData, error) {
	var data RotateIntegrationData
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/accounts/%s/integrations/%s/rotate", accountID, id),
	}, &data, options)
	return data, err
}

// CreateInvitation: invite a person.
//
// Owners and admins only, and only an owner invites an owner (403). The answer has, only this once, the URL of a page where the invited person joins; its last segment is the token to
// accept with. Where the service mails the invitation, the URL is in the mail alone, and `accept_url` is null. It mails ten an hour to an address, and 100 a day of an account, at most. It can be accepted for seven days. It replaces an open invitation of the same address. 409 with the code `already_member`
// for the address of a member.
//
// POST /accounts/{account_id}/invitations
func (c *Client) CreateInvitation(ctx context.Context, accountID AccountID, body CreateInvitationBody, options ...Option) (CreateInvitationData, error) {
	var data CreateInvitationData
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/accounts/%s/invitations", accountID), body: body,
	}, &data, options)
	return data, err
}

// RevokeInvitation: revoke an invitation.
//
// Owners and admins only. Its token stops working at once. 404 for one that was accepted.
//
// DELETE /accounts/{account_id}/invitations/{id}
func (c *Client) RevokeInvitation(ctx context.Context, accountID AccountID, id uuid.UUID, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodDelete, path: expand("/accounts/%s/invitations/%s", accountID, id),
	}, nil, options)
}

func (p ListMeetingMinutesParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	put(q, "updated_since", p.UpdatedSince)
	put(q, "company_id", p.CompanyID)
	put(q, "processed", p.Processed)
	return q
}

// ListMeetingMinutes: list an account's meeting minutes.
//
// Those that the caller sees, newest first by `created_at`.
//
// GET /accounts/{account_id}/meeting-minutes
func (c *Client) ListMeetingMinutes(ctx context.Context, accountID AccountID, params ListMeetingMinutesParams, options ...Option) (ListMeetingMinutesData, error) {
	var data ListMeetingMinutesData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/meeting-minutes", accountID), query: params.query(),
	}, &data, options)
	return data, err
}

// CreateMeetingMinutes: write meeting minutes.
//
// Minutes with a company are seen by those who see the company, the others by every member. They are deleted with their company. White space around the title is dropped.
//
// POST /accounts/{account_id}/meeting-minutes
func (c *Client) CreateMeetingMinutes(ctx context.Context, accountID AccountID, body CreateMeetingMinutesBody, options ...Option) (MeetingMinutes, error) {
	var data struct {
		Value MeetingMinutes `json:"meeting_minutes"`
	}
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/accounts/%s/meeting-minutes", accountID), body: body,
	}, &data, options)
	return data.Value, err
}

// DeleteMeetingMinutes: delete meeting minutes.
//
// They are gone for good.
//
// DELETE /accounts/{account_id}/meeting-minutes/{meeting_minutes_id}
func (c *Client) DeleteMeetingMinutes(ctx context.Context, accountID AccountID, meetingMinutesID uuid.UUID, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodDelete, path: expand("/accounts/%s/meeting-minutes/%s", accountID, meetingMinutesID),
	}, nil, options)
}

// GetMeetingMinutes: read meeting minutes.
//
// Minutes whose company is hidden from the caller are 404.
//
// GET /accounts/{account_id}/meeting-minutes/{meeting_minutes_id}
func (c *Client) GetMeetingMinutes(ctx context.Context, accountID AccountID, meetingMinutesID uuid.UUID, options ...Option) (MeetingMinutes, error) {
	var data struct {
		Value MeetingMinutes `json:"meeting_minutes"`
	}
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/meeting-minutes/%s", accountID, meetingMinutesID),
	}, &data, options)
	return data.Value, err
}

// UpdateMeetingMinutes: change meeting minutes.
//
// Members that are not sent do not change. `null` clears `content`, `company_id` and `meeting_date`.
//
// PATCH /accounts/{account_id}/meeting-minutes/{meeting_minutes_id}
func (c *Client) UpdateMeetingMinutes(ctx context.Context, accountID AccountID, meetingMinutesID uuid.UUID, body UpdateMeetingMinutesBody, options ...Option) (MeetingMinutes, error) {
	var data struct {
		Value MeetingMinutes `json:"meeting_minutes"`
	}
	err := c.call(ctx, request{
		method: http.MethodPatch, path: expand("/accounts/%s/meeting-minutes/%s", accountID, meetingMinutesID), body: body,
	}, &data, options)
	return data.Value, err
}

func (p ListMembersParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	return q
}

// ListMembers: list members and invitations.
//
// Every member of the account may ask. The pages are of the members. The invitations, those that can still be accepted, are all on the first one.
//
// GET /accounts/{account_id}/members
func (c *Client) ListMembers(ctx context.Context, accountID AccountID, params ListMembersParams, options ...Option) (ListMembersData, error) {
	var data ListMembersData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/members", accountID), query: params.query(),
	}, &data, options)
	return data, err
}

// RemoveMember: remove a member, or leave.
//
// Everybody may leave; owners may remove anybody, admins anybody but owners (403). The last owner stays: 409 with the code `last_owner`. The access of the
// member's keys and sessions to the account ends at once, and so do their assignments and shares. Their private companies, and shared ones that nobody
// else was given, pass to the oldest owner.
//
// DELETE /accounts/{account_id}/members/{id}
func (c *Client) RemoveMember(ctx context.Context, accountID AccountID, id uuid.UUID, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodDelete, path: expand("/accounts/%s/members/%s", accountID, id),
	}, nil, options)
}

// ChangeMember: change a member's role.
//
// Owners may give any role to anybody. Admins may neither make somebody an owner nor change an owner (403); plain members may change nobody. The last owner stays: 409 with the code
// `last_owner`.
//
// PATCH /accounts/{account_id}/members/{id}
func (c *Client) ChangeMember(ctx context.Context, accountID AccountID, id uuid.UUID, body ChangeMemberBody, options ...Option) (Member, error) {
	var data struct {
		Value Member `json:"member"`
	}
	err := c.call(ctx, request{
		method: http.MethodPatch, path: expand("/accounts/%s/members/%s", accountID, id), body: body,
	}, &data, options)
	return data.Value, err
}

func (p ListSavedViewsParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	return q
}

// ListSavedViews: list saved views.
//
// The caller's own views and those that are shared with the account.
//
// GET /accounts/{account_id}/saved-views
func (c *Client) ListSavedViews(ctx context.Context, accountID AccountID, params ListSavedViewsParams, options ...Option) (ListSavedViewsData, error) {
	var data ListSavedViewsData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/saved-views", accountID), query: params.query(),
	}, &data, options)
	return data, err
}

// CreateSavedView: save a view.
//
// Filters, order and columns of a list of companies, under a name. What is left out filters nothing. A view that is `shared` is seen by every member; what they
// see of its companies is their own.
//
// POST /accounts/{account_id}/saved-views
func (c *Client) CreateSavedView(ctx context.Context, accountID AccountID, body CreateSavedViewBody, options ...Option) (SavedViewData, error) {
	var data SavedViewData
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/accounts/%s/saved-views", accountID), body: body,
	}, &data, options)
	return data, err
}

// DeleteSavedView: delete a saved view.
//
// Who may change it may delete it. The companies stay.
//
// DELETE /accounts/{account_id}/saved-views/{id}
func (c *Client) DeleteSavedView(ctx context.Context, accountID AccountID, id uuid.UUID, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodDelete, path: expand("/accounts/%s/saved-views/%s", accountID, id),
	}, nil, options)
}

// ChangeSavedView: change a saved view.
//
// What is left out stays. A shared view is changed by who made it, and by owners and admins; only who made it may stop sharing it.
//
// PATCH /accounts/{account_id}/saved-views/{id}
func (c *Client) ChangeSavedView(ctx context.Context, accountID AccountID, id uuid.UUID, body ChangeSavedViewBody, options ...Option) (SavedViewData, error) {
	var data SavedViewData
	err := c.call(ctx, request{
		method: http.MethodPatch, path: expand("/accounts/%s/saved-views/%s", accountID, id), body: body,
	}, &data, options)
	return data, err
}

func (p ListSharedLinksParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	return q
}

// ListSharedLinks: list an account's shared links.
//
// The newest first, all of them but those of other members that show a company which is hidden from the caller. Of the companies those that the
// caller sees.
//
// GET /accounts/{account_id}/shared-links
func (c *Client) ListSharedLinks(ctx context.Context, accountID AccountID, params ListSharedLinksParams, options ...Option) (ListSharedLinksData, error) {
	var data ListSharedLinksData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/shared-links", accountID), query: params.query(),
	}, &data, options)
	return data, err
}

// CreateSharedLink: share companies with people without an account.
//
// Whoever has `short_url` (and the password, where there is one) sees the companies there until the link expires or is deleted. The page reads as the
// member who made the link: a company that they do not see any more is not on it, nor one that was deleted. A `private` company may be in a
// link, and is not on the page while it is private.
//
// A link cannot be changed: delete it and make another.
//
// POST /accounts/{account_id}/shared-links
func (c *Client) CreateSharedLink(ctx context.Context, accountID AccountID, body CreateSharedLinkBody, options ...Option) (MadeSharedLink, error) {
	var data struct {
		Value MadeSharedLink `json:"link"`
	}
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/accounts/%s/shared-links", accountID), body: body,
	}, &data, options)
	return data.Value, err
}

// DeleteSharedLink: revoke a shared link.
//
// Every member who sees a link may. Its page is gone at once; a download that was begun there, or whose address was copied, works for an hour at most.
//
// DELETE /accounts/{account_id}/shared-links/{id}
func (c *Client) DeleteSharedLink(ctx context.Context, accountID AccountID, id uuid.UUID, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodDelete, path: expand("/accounts/%s/shared-links/%s", accountID, id),
	}, nil, options)
}

// GetSharedLink: read a shared link.
//
// A link of another member that shows a company which is hidden from the caller is 404.
//
// GET /accounts/{account_id}/shared-links/{id}
func (c *Client) GetSharedLink(ctx context.Context, accountID AccountID, id uuid.UUID, options ...Option) (SharedLink, error) {
	var data struct {
		Value SharedLink `json:"link"`
	}
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/shared-links/%s", accountID, id),
	}, &data, options)
	return data.Value, err
}

func (p ListWebhooksParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	return q
}

// ListWebhooks: list webhooks.
//
// Only owners and admins may see them. Secrets are never shown again.
//
// GET /accounts/{account_id}/webhooks
func (c *Client) ListWebhooks(ctx context.Context, accountID AccountID, params ListWebhooksParams, options ...Option) (ListWebhooksData, error) {
	var data ListWebhooksData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/webhooks", accountID), query: params.query(),
	}, &data, options)
	return data, err
}

// CreateWebhook: make a webhook.
//
// Only owners and admins may. `url` is sent a `POST` for each change of the account from now on, of the types in `events`, or of all where there are
// none; of what the user who made it may see, or where they left the team its oldest owner. Messages are signed by the specification of Standard Webhooks
// (`webhook-id`, `webhook-timestamp`, `webhook-signature`) with the secret, which is shown in this answer and never again.
//
// The receiver must answer with a status from 200 to 299 within 15 seconds. Else the message is sent again, later and later, for a day. A receiver that fails for three days,
// or answers 410, is disabled; days without an attempt do not count. No redirect is followed, and nothing is sent to private addresses: a `url` that has
// one, or a name of a private network, is refused. A message may come twice, with the same `webhook-id`, and
// messages may come in another order than things happened.
//
// POST /accounts/{account_id}/webhooks
func (c *Client) CreateWebhook(ctx context.Context, accountID AccountID, body CreateWebhookBody, options ...Option) (WebhookSecretData, error) {
	var data WebhookSecretData
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/accounts/%s/webhooks", accountID), body: body,
	}, &data, options)
	return data, err
}

// DeleteWebhook: delete a webhook.
//
// Only owners and admins may. Its log goes with it.
//
// DELETE /accounts/{account_id}/webhooks/{id}
func (c *Client) DeleteWebhook(ctx context.Context, accountID AccountID, id uuid.UUID, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodDelete, path: expand("/accounts/%s/webhooks/%s", accountID, id),
	}, nil, options)
}

// GetWebhook: get a webhook.
//
// Only owners and admins may see it. Its secret is never shown again.
//
// GET /accounts/{account_id}/webhooks/{id}
func (c *Client) GetWebhook(ctx context.Context, accountID AccountID, id uuid.UUID, options ...Option) (WebhookData, error) {
	var data WebhookData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/webhooks/%s", accountID, id),
	}, &data, options)
	return data, err
}

// ChangeWebhook: change a webhook.
//
// Only owners and admins may. While it is not `enabled` nothing is sent; enabled again, it goes on with the changes that it missed and that are still kept. What is left out stays.
//
// PATCH /accounts/{account_id}/webhooks/{id}
func (c *Client) ChangeWebhook(ctx context.Context, accountID AccountID, id uuid.UUID, body ChangeWebhookBody, options ...Option) (WebhookData, error) {
	var data WebhookData
	err := c.call(ctx, request{
		method: http.MethodPatch, path: expand("/accounts/%s/webhooks/%s", accountID, id), body: body,
	}, &data, options)
	return data, err
}

func (p ListDeliveriesParams) query() url.Values {
	q := url.Values{}
	put(q, "state", p.State)
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	return q
}

// ListDeliveries: list what a webhook was sent.
//
// The newest first, for 30 days. Only owners and admins may see it. `body` is the text that was signed; `status_code` and `error` are of the last attempt.
//
// GET /accounts/{account_id}/webhooks/{id}/deliveries
func (c *Client) ListDeliveries(ctx context.Context, accountID AccountID, id uuid.UUID, params ListDeliveriesParams, options ...Option) (ListDeliveriesData, error) {
	var data ListDeliveriesData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/accounts/%s/webhooks/%s/deliveries", accountID, id), query: params.query(),
	}, &data, options)
	return data, err
}

// ReplayDelivery: send a message again.
//
// Only owners and admins may. Under the same id. 409 while it is under way.
//
// POST /accounts/{account_id}/webhooks/{id}/deliveries/{delivery_id}/replay
func (c *Client) ReplayDelivery(ctx context.Context, accountID AccountID, id uuid.UUID, deliveryID uuid.UUID, options ...Option) (DeliveryData, error) {
	var data DeliveryData
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/accounts/%s/webhooks/%s/deliveries/%s/replay", accountID, id, deliveryID),
	}, &data, options)
	return data, err
}

// ReplayWebhook: send the messages since a time again.
//
// Only owners and admins may. Messages of the log are sent again under their old ids, or only those that failed; those under way stay so. At most a thousand at once, the oldest: where `has_more` is true, ask again, with another key and `next_since` as `since`.
// A message may come twice then.
//
// POST /accounts/{account_id}/webhooks/{id}/replay
func (c *Client) ReplayWebhook(ctx context.Context, accountID AccountID, id uuid.UUID, body ReplayWebhookBody, options ...Option) (ReplayWebhookData, error) {
	var data ReplayWebhookData
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/accounts/%s/webhooks/%s/replay", accountID, id), body: body,
	}, &data, options)
	return data, err
}

// RotateWebhook: renew a webhook's secret.
//
// Only owners and admins may. For a day messages are signed with the old secret too, also if another rotation follows (at most 20 old ones sign). The new one is shown in this answer and never again.
//
// POST /accounts/{account_id}/webhooks/{id}/rotate
func (c *Client) RotateWebhook(ctx context.Context, accountID AccountID, id uuid.UUID, options ...Option) (WebhookSecretData, error) {
	var data WebhookSecretData
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/accounts/%s/webhooks/%s/rotate", accountID, id),
	}, &data, options)
	return data, err
}

// TestWebhook: try a webhook.
//
// Only owners and admins may. A message of the type `webhook.test` is sent; the log has the result. 409 if the webhook is disabled.
//
// POST /accounts/{account_id}/webhooks/{id}/test
func (c *Client) TestWebhook(ctx context.Context, accountID AccountID, id uuid.UUID, options ...Option) (DeliveryData, error) {
	var data DeliveryData
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/accounts/%s/webhooks/%s/test", accountID, id),
	}, &data, options)
	return data, err
}

func (p ListAPIKeysParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	return q
}

// ListAPIKeys: list the caller's keys.
//
// Without the keys themselves. Each is shown once, when it is made.
//
// GET /api-keys
func (c *Client) ListAPIKeys(ctx context.Context, params ListAPIKeysParams, options ...Option) (ListAPIKeysData, error) {
	var data ListAPIKeysData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/api-keys"), query: params.query(),
	}, &data, options)
	return data, err
}

// CreateAPIKey: make a key.
//
// The full key is shown in this answer and never again.
//
// POST /api-keys
func (c *Client) CreateAPIKey(ctx context.Context, body CreateAPIKeyBody, options ...Option) (CreateAPIKeyData, error) {
	var data CreateAPIKeyData
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/api-keys"), body: body,
	}, &data, options)
	return data, err
}

// DeleteAPIKey: delete a key.
//
// It stops working at once, also for this caller if it is the one they use. A key of another user is 404.
//
// DELETE /api-keys/{id}
func (c *Client) DeleteAPIKey(ctx context.Context, id uuid.UUID, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodDelete, path: expand("/api-keys/%s", id),
	}, nil, options)
}

// VerifyEmail: confirm an address by a mailed token.
//
// No key is needed. The address is proven to be its user's from now on. A token that is unknown, was used or has expired is 400 with the code `invalid_token`;
// 409 with the code `email_taken` where another user has proven the address.
//
// POST /auth/email/verify
func (c *Client) VerifyEmail(ctx context.Context, body VerifyEmailBody, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodPost, path: expand("/auth/email/verify"), body: body,
	}, nil, options)
}

// AskEmailVerification: ask for the mail that confirms the own address.
//
// 409 with the code `mail_off` if the service sends no mails: its operator can confirm the address. 429 once the caller has requested ten within an hour.
// An address gets ten in an hour, whoever requests them: if others claim it too, no mail may come although the request was accepted.
//
// POST /auth/email/verify/send
func (c *Client) AskEmailVerification(ctx context.Context, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodPost, path: expand("/auth/email/verify/send"),
	}, nil, options)
}

// Login: log in.
//
// No key is needed. The session is in the cookie `dealflow_session` (HttpOnly, SameSite=Lax, Secure where the service is reached by https) and lasts 30 days, or until
// the logout or a new password. Any wrong pair is 401 with the code `invalid_credentials`, in the same time. Wrong passwords are counted for the user
// and the client's address (of IPv6 its /64); after too many in a minute of the clock, even right ones are 429 until it is over. A browser that the user has
// logged in with is counted by itself (the cookie `dealflow_device`).
//
// A user with a second factor sends `totp_code` too. Without it, a right password is 401 with the code `totp_required`. A wrong code, and one that was used, is
// `invalid_credentials` and counts like a wrong password.
//
// POST /auth/login
func (c *Client) Login(ctx context.Context, body LoginBody, options ...Option) (Entry, error) {
	var data Entry
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/auth/login"), body: body,
	}, &data, options)
	return data, err
}

// Logout: log out.
//
// Ends the session that was sent, at once and everywhere. With a key there is no session to end, and the key stays valid.
//
// POST /auth/logout
func (c *Client) Logout(ctx context.Context, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodPost, path: expand("/auth/logout"),
	}, nil, options)
}

// GetMe: read who the caller is.
//
// The user whose key or session it is, with the accounts that they belong to.
//
// GET /auth/me
func (c *Client) GetMe(ctx context.Context, options ...Option) (Me, error) {
	var data Me
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/auth/me"),
	}, &data, options)
	return data, err
}

// ChangePassword: change the password.
//
// Ends all of the user's sessions but this one. A wrong current password is 401 with the code `invalid_credentials`, and counts like one of a login.
//
// POST /auth/password
func (c *Client) ChangePassword(ctx context.Context, body ChangePasswordBody, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodPost, path: expand("/auth/password"), body: body,
	}, nil, options)
}

// AskPasswordReset: ask for a new password.
//
// No key is needed. Whoever has the address is mailed a link, which works once and for an hour. The answer, and the time that it takes, are the same whether or not somebody has the address. Where the
// service sends no mails, the message says so; its operator can choose a new password. A user who only claims the address, and chooses a password by such a link, has proven it; keys and sessions that were made
// before end, since they may be another's.
//
// POST /auth/password/reset
func (c *Client) AskPasswordReset(ctx context.Context, body AskPasswordResetBody, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodPost, path: expand("/auth/password/reset"), body: body,
	}, nil, options)
}

// ResetPassword: choose a new password by a mailed token.
//
// No key is needed. Ends all of the user's sessions. A token that is unknown, was used or has expired is 400 with the code `invalid_token`.
//
// POST /auth/password/reset/confirm
func (c *Client) ResetPassword(ctx context.Context, body ResetPasswordBody, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodPost, path: expand("/auth/password/reset/confirm"), body: body,
	}, nil, options)
}

// Register: register.
//
// Makes a user and an account of their own with the default pipeline, and logs them in. No key is needed. 403 with the code `signup_closed` unless the operator
// lets anybody in (`SIGNUP=open`). The address is not proven by that, and others may have it: where mails are sent, one asks to prove it.
//
// POST /auth/register
func (c *Client) Register(ctx context.Context, body RegisterBody, options ...Option) (Entry, error) {
	var data Entry
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/auth/register"), body: body,
	}, &data, options)
	return data, err
}

// EndOtherSessions: log out everywhere else.
//
// Ends all sessions of the user but the one that asks; with a key, all.
//
// DELETE /auth/sessions
func (c *Client) EndOtherSessions(ctx context.Context, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodDelete, path: expand("/auth/sessions"),
	}, nil, options)
}

func (p ListSessionsParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	return q
}

// ListSessions: list the own sessions.
//
// The sessions that have not ended, the one used last first. A session also ends when it is not used for a time (`SESSION_IDLE`).
//
// GET /auth/sessions
func (c *Client) ListSessions(ctx context.Context, params ListSessionsParams, options ...Option) (ListSessionsData, error) {
	var data ListSessionsData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/auth/sessions"), query: params.query(),
	}, &data, options)
	return data, err
}

// EndSession: end one of the own sessions.
//
// At once and everywhere.
//
// DELETE /auth/sessions/{id}
func (c *Client) EndSession(ctx context.Context, id uuid.UUID, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodDelete, path: expand("/auth/sessions/%s", id),
	}, nil, options)
}

// StopTOTP: turn off the second factor.
//
// Also one that was only started. Only for a session: a key is 403 with the code `session_required`. Ends all of the user's other sessions. 404 if there is none.
//
// DELETE /auth/totp
func (c *Client) StopTOTP(ctx context.Context, body StopTOTPBody, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodDelete, path: expand("/auth/totp"), body: body,
	}, nil, options)
}

// StartTOTP: start to turn on a second factor.
//
// Only for a session: a key is 403 with the code `session_required`. The secret is for an authenticator app, and is answered once. Nothing changes until
// `POST /auth/totp/confirm`; a second start replaces the first. 409 with the code `totp_enabled` if one is active. A wrong password counts like one of a login.
//
// POST /auth/totp
func (c *Client) StartTOTP(ctx context.Context, body StartTOTPBody, options ...Option) (StartTOTPData, error) {
	var data StartTOTPData
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/auth/totp"), body: body,
	}, &data, options)
	return data, err
}

// ConfirmTOTP: turn on the second factor.
//
// With a code that the app shows, which does not work a second time. Only for a session: a key is 403 with the code `session_required`. From here on a login needs a
// code. Each recovery code works once in place of a code of the app; the recovery codes are shown only in this answer. 409 with the code `totp_not_started` if no second factor waits for its first code.
//
// POST /auth/totp/confirm
func (c *Client) ConfirmTOTP(ctx context.Context, body ConfirmTOTPBody, options ...Option) (ConfirmTOTPData, error) {
	var data ConfirmTOTPData
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/auth/totp/confirm"), body: body,
	}, &data, options)
	return data, err
}

func (p ListCompaniesParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	put(q, "updated_since", p.UpdatedSince)
	put(q, "sort_by", p.SortBy)
	put(q, "sort_order", p.SortOrder)
	put(q, "search", p.Search)
	put(q, "visibility", p.Visibility)
	put(q, "source", p.Source)
	put(q, "company_status_id", p.CompanyStatusID)
	put(q, "account_id", p.AccountID)
	put(q, "include_download_urls", p.IncludeDownloadUrls)
	return q
}

// ListCompanies: list companies.
//
// The companies that the caller sees, in all of their accounts or in one, the newest first unless another order is requested. The list leaves out
// `deck_storage_path`, `source_content` and `metadata_search_text`, and of founders `phone` and `background`.
//
// The search looks into name, notes, source content, the strings of the metadata, and the words of the deck and of attached PDFs. Every word must occur, as a whole
// word; case does not matter, accents do. What is written without spaces, as Chinese, is found inside a sentence. Punctuation means nothing, and a search without
// any word finds nothing.
//
// GET /companies
func (c *Client) ListCompanies(ctx context.Context, params ListCompaniesParams, options ...Option) (ListCompaniesData, error) {
	var data ListCompaniesData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/companies"), query: params.query(),
	}, &data, options)
	return data, err
}

// CreateCompany: create a company.
//
// As it is sent, without an analysis. `POST /companies/upload/ai` is the one that reads texts and decks.
//
// POST /companies
func (c *Client) CreateCompany(ctx context.Context, body CreateCompanyBody, options ...Option) (Company, error) {
	var data struct {
		Value Company `json:"company"`
	}
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/companies"), body: body,
	}, &data, options)
	return data.Value, err
}

// CreateCompanyByAI: create a company from text and files.
//
// Links are taken from the text and the deck's link is chosen among them. Files go to storage as they arrive; workers read the PDFs, detect name,
// founders, status and source, and the answer waits for them. If they need longer than the service is willing to wait, the
// answer is still 200 with the stored company, `processedAt` null, and the result is written to the company when it is there.
//
// One file is always the deck. Of several, the analysis of the PDFs picks it, else the first PDF is it; the others become attachments. Status and
// source are detected only in a text of more than 50 characters, and never if they are given.
//
// Fields and files may come in any order. A refused request leaves nothing behind. Unknown fields are ignored; a field that is sent twice, more
// than 10 files, a file under another name and an empty file are 400.
//
// POST /companies/upload/ai
func (c *Client) CreateCompanyByAI(ctx context.Context, form AICreationForm, options ...Option) (AICreation, error) {
	var data AICreation
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/companies/upload/ai"), form: &form,
	}, &data, options)
	return data, err
}

// DeleteCompany: delete a company.
//
// For good, with its attachments, notes, shares and stored files.
//
// DELETE /companies/{id}
func (c *Client) DeleteCompany(ctx context.Context, id CompanyID, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodDelete, path: expand("/companies/%s", id),
	}, nil, options)
}

func (p GetCompanyParams) query() url.Values {
	q := url.Values{}
	put(q, "include_download_url", p.IncludeDownloadURL)
	return q
}

// GetCompany: read a company.
//
// The whole company, with what it was created from; see `ETags` above.
//
// GET /companies/{id}
func (c *Client) GetCompany(ctx context.Context, id CompanyID, params GetCompanyParams, options ...Option) (GetCompanyData, error) {
	var data GetCompanyData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/companies/%s", id), query: params.query(),
	}, &data, options)
	return data, err
}

func (p ChangeCompanyParams) query() url.Values {
	q := url.Values{}
	put(q, "include_download_url", p.IncludeDownloadURL)
	return q
}

// ChangeCompany: change a company.
//
// Members that are not sent do not change. `null` clears a member that may be null. Of `metadata`, the members that are named are
// replaced and the others stay. `assignees` replaces all assignees.
//
// Only who created the company may make it `private` (403). Who makes it `shared` without being its creator or an assignee is added to its shares. What is
// changed while the analysis goes on is not overwritten by it.
//
// A new `name`, `company_status_id`, `source` or `metadata.founders` of a company that was analysed is kept as a correction of what the analysis found, and
// teaches the account's later analyses, those of users who see this company; never another account's. Changing the field again replaces the correction, setting
// what was found removes it. A new status counts as a correction for 72 hours after the analysis; after that, it means that the deal has moved on.
//
// PATCH /companies/{id}
func (c *Client) ChangeCompany(ctx context.Context, id CompanyID, params ChangeCompanyParams, body ChangeCompanyBody, options ...Option) (ChangeCompanyData, error) {
	var data ChangeCompanyData
	err := c.call(ctx, request{
		method: http.MethodPatch, path: expand("/companies/%s", id), query: params.query(), body: body,
	}, &data, options)
	return data, err
}

// GetAnalysis: get what the last analysis of a company found.
//
// The findings are stored with the company, with the quotes that support them. `needs_review` has only what nobody has confirmed or
// corrected since.
//
// GET /companies/{id}/analysis
func (c *Client) GetAnalysis(ctx context.Context, id CompanyID, options ...Option) (GetAnalysisData, error) {
	var data GetAnalysisData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/companies/%s/analysis", id),
	}, &data, options)
	return data, err
}

// ReviewAnalysis: confirm findings.
//
// What `reviewed` names, as `needs_review` names it, is not to be reviewed any more. A finding that is wrong is corrected by a change of the company,
// which takes it off too. An analysis that is done again asks again.
//
// PATCH /companies/{id}/analysis
func (c *Client) ReviewAnalysis(ctx context.Context, id CompanyID, body ReviewAnalysisBody, options ...Option) (ReviewAnalysisData, error) {
	var data ReviewAnalysisData
	err := c.call(ctx, request{
		method: http.MethodPatch, path: expand("/companies/%s/analysis", id), body: body,
	}, &data, options)
	return data, err
}

// AnalyzeCompanyAgain: analyze a company again.
//
// The stored text and files are analyzed once more, and the answer waits as that of an AI creation does. What the last analysis wrote is replaced;
// what a client gave and what people have changed since stays. 409 with the code `analysis_running` while an analysis of the company waits or runs.
//
// POST /companies/{id}/analysis
func (c *Client) AnalyzeCompanyAgain(ctx context.Context, id CompanyID, options ...Option) (AICreation, error) {
	var data AICreation
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/companies/%s/analysis", id),
	}, &data, options)
	return data, err
}

func (p ListAttachmentsParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	return q
}

// ListAttachments: list a company's attachments.
//
// Its files beside the deck, and its links. Those that came with an AI creation come first.
//
// GET /companies/{id}/attachments
func (c *Client) ListAttachments(ctx context.Context, id CompanyID, params ListAttachmentsParams, options ...Option) (ListAttachmentsData, error) {
	var data ListAttachmentsData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/companies/%s/attachments", id), query: params.query(),
	}, &data, options)
	return data, err
}

// CreateAttachment: attach a file or a link.
//
// One file under the name `file`, or a `link_url` instead. The words of a PDF are found by the search once a worker has read it. A refused request leaves nothing behind.
//
// POST /companies/{id}/attachments
func (c *Client) CreateAttachment(ctx context.Context, id CompanyID, form AttachmentForm, options ...Option) (Attachment, error) {
	var data struct {
		Value Attachment `json:"attachment"`
	}
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/companies/%s/attachments", id), form: &form,
	}, &data, options)
	return data.Value, err
}

// DeleteAttachment: delete an attachment.
//
// With its stored file.
//
// DELETE /companies/{id}/attachments/{attachment_id}
func (c *Client) DeleteAttachment(ctx context.Context, id CompanyID, attachmentID uuid.UUID, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodDelete, path: expand("/companies/%s/attachments/%s", id, attachmentID),
	}, nil, options)
}

func (p DownloadAttachmentParams) query() url.Values {
	q := url.Values{}
	put(q, "expires_in", p.ExpiresIn)
	return q
}

// DownloadAttachment: get a download URL for an attachment.
//
// The URL needs no key until it expires. 404 also for a link, which has no file.
//
// GET /companies/{id}/attachments/{attachment_id}/download
func (c *Client) DownloadAttachment(ctx context.Context, id CompanyID, attachmentID uuid.UUID, params DownloadAttachmentParams, options ...Option) (DownloadAttachmentData, error) {
	var data DownloadAttachmentData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/companies/%s/attachments/%s/download", id, attachmentID), query: params.query(),
	}, &data, options)
	return data, err
}

func (p DownloadDeckParams) query() url.Values {
	q := url.Values{}
	put(q, "expires_in", p.ExpiresIn)
	return q
}

// DownloadDeck: get a download URL for a company's deck.
//
// The URL needs no key until it expires. 404 also for a company without a stored deck.
//
// GET /companies/{id}/download
func (c *Client) DownloadDeck(ctx context.Context, id CompanyID, params DownloadDeckParams, options ...Option) (DownloadDeckData, error) {
	var data DownloadDeckData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/companies/%s/download", id), query: params.query(),
	}, &data, options)
	return data, err
}

// MergeCompany: merge a company into another one.
//
// Both are one deal: what belongs to this company becomes that of `into_company_id`, and this one is deleted. Files, meeting minutes, form submissions and history are moved;
// assignees, shares, emails, shared links and corrections become those of both; both decks stay, one as an attachment. Who brought either is credited (`…/sources`), and what
// arrives later about either is recognized as the one that survives. The other's id answers 410 with `merged_into` from then on.
//
// `conflicts` has the fields that differ and whose value each has afterwards: that of the surviving company where it has one, of `notes`, `source_content` and lists in the metadata
// those of both. `keep` says otherwise, by field: `into`, `merged` or, where `choices` has it, `both`. `deck` is the file. With `dry_run` nothing is changed: the answer is what it
// would be, and `merge` is null.
//
// 409 with the code `visibility_differs` where not the same people see both: nothing becomes visible by a merge. `analysis_running` while one of them is being analyzed.
// `company_merged`, with `merged_into`, where one of them was merged already.
//
// POST /companies/{id}/merge
func (c *Client) MergeCompany(ctx context.Context, id CompanyID, body MergeCompanyBody, options ...Option) (MergeCompanyData, error) {
	var data MergeCompanyData
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/companies/%s/merge", id), body: body,
	}, &data, options)
	return data, err
}

func (p ListMergesParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	return q
}

// ListMerges: list the merges into a company.
//
// The last merge first, those that were undone included. Merges into a company that was itself merged into this one are this one's.
//
// GET /companies/{id}/merges
func (c *Client) ListMerges(ctx context.Context, id CompanyID, params ListMergesParams, options ...Option) (ListMergesData, error) {
	var data ListMergesData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/companies/%s/merges", id), query: params.query(),
	}, &data, options)
	return data, err
}

func (p ListSharesParams) query() url.Values {
	q := url.Values{}
	put(q, "page", p.Page)
	put(q, "limit", p.Limit)
	put(q, "cursor", p.Cursor)
	return q
}

// ListShares: list with whom a company is shared.
//
// Those whom its creator shared the company with, oldest first.
//
// GET /companies/{id}/shares
func (c *Client) ListShares(ctx context.Context, id CompanyID, params ListSharesParams, options ...Option) (ListSharesData, error) {
	var data ListSharesData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/companies/%s/shares", id), query: params.query(),
	}, &data, options)
	return data, err
}

// ShareCompany: share a company with a member.
//
// They see it while its visibility is `shared`. Sharing it with them again changes nothing.
//
// POST /companies/{id}/shares
func (c *Client) ShareCompany(ctx context.Context, id CompanyID, body ShareCompanyBody, options ...Option) (Assignee, error) {
	var data struct {
		Value Assignee `json:"share"`
	}
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/companies/%s/shares", id), body: body,
	}, &data, options)
	return data.Value, err
}

// UnshareCompany: stop sharing a company with a member.
//
// The member sees the company no longer, unless they made it, are assigned to it, or it is visible to the team. A shared company that nobody would see then, since its maker has left, becomes the oldest owner's.
//
// DELETE /companies/{id}/shares/{user_id}
func (c *Client) UnshareCompany(ctx context.Context, id CompanyID, userID uuid.UUID, options ...Option) error {
	return c.call(ctx, request{
		method: http.MethodDelete, path: expand("/companies/%s/shares/%s", id, userID),
	}, nil, options)
}

// GetCompanySources: read who brought a company.
//
// Everybody who brought it, the first one first: senders of emails and of submissions from which it was made, or in which it was recognized when it came again, and where it came
// otherwise the import or the person that made it. With them the times at which the team decided against it (it moved to a stage named Passed, Rejected, Declined or the like),
// the last one first; its reason is the member `pass_reason` of the company's metadata. `earlier_pass` is the last of them where the company is in another stage now. An email or
// submission in which a company was recognized has `earlier_pass` in its `metadata.company_match`, too.
//
// GET /companies/{id}/sources
func (c *Client) GetCompanySources(ctx context.Context, id CompanyID, options ...Option) (GetCompanySourcesData, error) {
	var data GetCompanySourcesData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/companies/%s/sources", id),
	}, &data, options)
	return data, err
}

// UnmergeCompany: undo a merge.
//
// `id` is that of the company that was merged away, or of one that survived: then its last merge is undone that is not yet. The merged company is there again under its id, with all
// that was its own, and the other one is as it was. What people have changed since stays, and `conflicts` lists it with the reason: `changed` (a field of a company has another value by
// now), `moved` (it belongs to another company by now), `removed` (an assignee, a share or an email's link that was taken away) or `deleted`. What came after the merge
// stays with the company that survived it.
//
// 409 with the code `not_merged` where there is no merge to undo. `merge_not_last` where a later merge into the surviving company is not undone: undo that first. `visibility_differs`
// where not everybody who would see the merged company again sees the surviving one now, `analysis_running` while that is being analyzed.
//
// POST /companies/{id}/unmerge
func (c *Client) UnmergeCompany(ctx context.Context, id CompanyID, options ...Option) (UnmergeData, error) {
	var data UnmergeData
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/companies/%s/unmerge", id),
	}, &data, options)
	return data, err
}

// GetHealth: read whether the process runs.
//
// It asks no other server, so a restart helps where it fails. `/readyz` says whether requests can be served.
//
// GET /healthz
func (c *Client) GetHealth(ctx context.Context, options ...Option) (GetHealthData, error) {
	var data GetHealthData
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/healthz"), root: true,
	}, &data, options)
	return data, err
}

// ReceiveHook: deliver a submission or a mail.
//
// The kind of the integration says what is sent. `tally`: Tally's JSON, with `Tally-Signature`. `typeform`: Typeform's, with `Typeform-Signature`. `email`: raw MIME (`message/rfc822`),
// Postmark's JSON or that of postal-mime (`application/json`), or the forms of Mailgun and SendGrid, with the secret as the password of HTTP Basic, or with
// `X-Hook-Signature: sha256=BASE64(HMAC-SHA256(secret, body))`; where the integration has Mailgun's signing key, Mailgun's own signature will do (for twelve hours, and for one mail). Signatures hold for
// the bytes as they are sent. A missing or wrong one is 401, a token that is unknown 404, an integration that is switched off 403.
//
// 202 once it is stored durably, 200 if the same submission or mail came before; then nothing is added. A submission is known by its id, an email by its Message-ID, else by its
// content. A submission may be as large as other JSON, a mail twice as large as a file. What cannot be understood is 400. Mails of more than 256 KiB are taken in by
// a worker soon after the 202: the receipts of the integration say what became of them; such a mail is a repeat if all its bytes are the same.
//
// Requests are counted for the token, whoever sends them.
//
// POST /hooks/{token}
func (c *Client) ReceiveHook(ctx context.Context, token string, body ReceiveHookBody, options ...Option) (ReceiveHookData, error) {
	var data ReceiveHookData
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/hooks/%s", token), body: body, root: true,
	}, &data, options)
	return data, err
}

// AcceptInvitation: accept an invitation.
//
// No key is needed. Who is new sends a name and chooses a password. Who is a user already sends the password that they have, or sends their session or
// a key with all scopes (else 403 with the code `missing_scope`) along instead, and nothing of them changes. The answer does not depend on who has the address: with a name, whoever sends no known password
// becomes a new user; without one that is 401 with the code `invalid_credentials`. The new user's address is proven where the token was mailed. Else they are a
// member of this account alone, whoever else has that address. It begins a session, as a login does. 404 for a token that is unknown, revoked or
// replaced; 409 with the code `invitation_used` or `invitation_expired` for one that was good once, `unproven_address` for the session of a user of
// another account who has not proven the address.
//
// POST /invitations/accept
func (c *Client) AcceptInvitation(ctx context.Context, body AcceptInvitationBody, options ...Option) (Entry, error) {
	var data Entry
	err := c.call(ctx, request{
		method: http.MethodPost, path: expand("/invitations/accept"), body: body,
	}, &data, options)
	return data, err
}

// GetReadiness: read whether the process can serve requests.
//
// 503 without the database or its migrations, and from the moment at which the process is asked to stop: it serves on for `DRAIN_DELAY`, so that requests of
// those who have not noticed it yet are answered. Without Redis, workers or a working storage, requests are served, and `degraded` names the missing parts.
//
// GET /readyz
func (c *Client) GetReadiness(ctx context.Context, options ...Option) (Readiness, error) {
	var data Readiness
	err := c.call(ctx, request{
		method: http.MethodGet, path: expand("/readyz"), root: true,
	}, &data, options)
	return data, err
}
