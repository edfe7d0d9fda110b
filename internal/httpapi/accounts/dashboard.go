package accounts

import (
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"dealflow/internal/dashboard"
	"dealflow/internal/httpapi/request"
	"dealflow/internal/httpapi/respond"
	"dealflow/internal/httpapi/route"
	"dealflow/internal/httpapi/wire"
	"dealflow/internal/postgres"
)

// wireDashboard is the dashboard of an account: its companies, pipeline and recent activity.
type wireDashboard struct {
	Stats           wireStats   `json:"stats"`
	PipelineSummary []wireCount `json:"pipeline_summary"`
	RecentActivity  []wireEvent `json:"recent_activity"`
	Charts          wireCharts  `json:"charts"`
}

type wireStats struct {
	TotalCompanies     int `json:"total_companies"`
	CompaniesThisMonth int `json:"companies_this_month"`
	ActiveDeals        int `json:"active_deals"`
	MeetingsThisWeek   int `json:"meetings_this_week"`
}

// wireCount is the number of companies that have a status. For companies without a status, all members except count are
// null.
type wireCount struct {
	StatusID   *uuid.UUID `json:"status_id"`
	StatusName *string    `json:"status_name"`
	Color      *string    `json:"color"`
	Count      int        `json:"count"`
}

type wireEvent struct {
	ID          uuid.UUID  `json:"id"`
	Type        string     `json:"type"`
	Description string     `json:"description"`
	CompanyID   *uuid.UUID `json:"company_id"`
	CompanyName *string    `json:"company_name"`
	CreatedAt   *string    `json:"created_at"`
}

type wireCharts struct {
	CompaniesOverTime []wireDay    `json:"companies_over_time"`
	SourceBreakdown   []wireSource `json:"source_breakdown"`
}

type wireDay struct {
	Date  string `json:"date"` // YYYY-MM-DD
	Count int    `json:"count"`
}

type wireSource struct {
	Source string `json:"source"`
	Count  int    `json:"count"`
}

// Dashboard answers with the dashboard of an account. The parameter days is the number of days, up to today, in the
// chart of companies over time. The error is InvalidQuery if days is not from dashboard.MinDays to dashboard.MaxDays,
// or that of dashboard.Service.Get.
func (h *Handlers) Dashboard(c *gin.Context, who *postgres.Identity) error {
	params := request.ReadQuery(c.Request)
	days := params.Integer("days", dashboard.DefaultDays, dashboard.MinDays, dashboard.MaxDays)
	if err := params.Err(); err != nil {
		return err
	}
	board, err := h.Dashboards.Get(c.Request.Context(), who, route.PathID(c, "account_id"), days, h.Now())
	if err != nil {
		return err
	}
	return respond.Tagged(c, showDashboard(board))
}

func showDashboard(board dashboard.Dashboard) wireDashboard {
	shown := wireDashboard{
		Stats: wireStats{
			TotalCompanies: board.Companies, CompaniesThisMonth: board.CompaniesInMonth, ActiveDeals: board.ActiveDeals,
			MeetingsThisWeek: board.MeetingsInWeek,
		},
		PipelineSummary: make([]wireCount, len(board.Pipeline)),
		RecentActivity:  make([]wireEvent, len(board.Activity)),
		Charts: wireCharts{
			CompaniesOverTime: make([]wireDay, len(board.Days)), SourceBreakdown: make([]wireSource, len(board.Sources)),
		},
	}
	for i, stage := range board.Pipeline {
		shown.PipelineSummary[i] = wireCount{
			StatusID: stage.ID, StatusName: wire.TextOrNull(stage.Name), Color: wire.TextOrNull(stage.Color), Count: stage.Count,
		}
	}
	for i, event := range board.Activity {
		shown.RecentActivity[i] = wireEvent{
			ID: event.ID, Type: event.Type, Description: event.Description, CompanyID: event.CompanyID,
			CompanyName: event.CompanyName, CreatedAt: wire.Time(event.CreatedAt),
		}
	}
	for i, day := range board.Days {
		shown.Charts.CompaniesOverTime[i] = wireDay{Date: day.Date.Format(time.DateOnly), Count: day.Count}
	}
	for i, source := range board.Sources {
		shown.Charts.SourceBreakdown[i] = wireSource{Source: source.Name, Count: source.Count}
	}
	return shown
}
