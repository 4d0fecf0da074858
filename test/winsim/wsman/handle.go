package wsman

import (
	"context"
	"net"
	"net/http"
	"strings"
	"time"

	"kinit/test/winsim/wsman/internal/shell"
	"kinit/test/winsim/wsman/internal/soap"
)

// envelopeExtra is what an answer to Receive takes besides its streams.
const envelopeExtra = 2 << 10

// answer is what a request has led to: a fault, or else an envelope, or else a body
// for the usual one.
type answer struct {
	body     string
	fault    *soap.Fault
	envelope []byte
}

func faulty(kind soap.Kind) answer { return answer{fault: soap.NewFault(kind)} }

// handle does what a request asks for, or what the plan wants instead.
func (s *Server) handle(w http.ResponseWriter, r *http.Request, user string, request *soap.Request, fault *soap.Fault) {
	effect := s.effect(actionOf(request))
	if effect.Before != nil {
		effect.Before()
	}
	if !effect.hold(r.Context()) || effect.DropBefore {
		drop(r)
	}
	if effect.Status != 0 {
		s.status(w, r, effect.Status)
		return
	}
	var a answer
	switch {
	case effect.Fault != 0:
		a.fault = soap.FaultOf(effect.Fault)
	case fault != nil:
		a.fault = fault
	case effect.Pending:
		a = pending(request)
	case request.Identify():
		a.envelope = soap.Identified("OS: "+s.options.Version+" SP: 0.0 Stack: 3.0", s.options.Language)
	default:
		a = s.do(r, user, request)
	}
	s.answer(w, r, request, a, effect)
}

// status answers with a status alone. One that refuses a login forgets it.
func (s *Server) status(w http.ResponseWriter, r *http.Request, status int) {
	if status == http.StatusUnauthorized {
		s.unauthorized(w, r)
		return
	}
	empty(w, status)
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, request *soap.Request, a answer, e Effect) {
	if e.After != nil {
		e.After()
	}
	if e.DropAfter {
		drop(r)
	}
	if a.fault != nil {
		s.write(w, r, http.StatusInternalServerError, a.fault.Encode(request.MessageID, s.options.Language, s.options.Computer), e)
		return
	}
	if a.envelope == nil {
		a.envelope = soap.Response{Action: request.Action, RelatesTo: request.MessageID, Body: a.body, Language: s.options.Language}.Encode()
	}
	s.write(w, r, http.StatusOK, a.envelope, e)
}

// actionOf is the last part of the action's name. One that is not known has no name.
func actionOf(request *soap.Request) Action {
	if request.Identify() {
		return Identify
	}
	switch request.Action {
	case soap.ActionCreate, soap.ActionCommand, soap.ActionSend, soap.ActionReceive, soap.ActionSignal, soap.ActionDelete:
		return Action(request.Action[strings.LastIndex(request.Action, "/")+1:])
	}
	return ""
}

// do does what a request asks for.
func (s *Server) do(r *http.Request, user string, request *soap.Request) answer {
	host := s.up()
	if host == nil {
		drop(r)
	}
	action := actionOf(request)
	switch {
	case action == "":
		return faulty(soap.UnknownAction)
	case request.ResourceURI != soap.ResourceCmd:
		return faulty(soap.UnknownResource)
	case action == Create:
		return create(host, user, r.RemoteAddr, request)
	}
	open, fault := host.Find(user, request.ShellID)
	if fault != nil {
		return answer{fault: fault}
	}
	defer open.Enter()()
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout(request))
	defer cancel()
	return s.inShell(ctx, host, open, action, request)
}

// timeout is how long an operation may take.
func (s *Server) timeout(request *soap.Request) time.Duration {
	most := s.current().MaxTimeout
	if request.OperationTimeout == 0 {
		return most
	}
	return min(request.OperationTimeout, most)
}

func create(host *shell.Host, user, remote string, request *soap.Request) answer {
	if request.Body.Shell == nil {
		return faulty(soap.InvalidBody)
	}
	clientIP, _, err := net.SplitHostPort(remote)
	if err != nil {
		clientIP = remote
	}
	made, fault := host.Create(user, clientIP, request.Body.Shell, request.Options)
	if fault != nil {
		return answer{fault: fault}
	}
	return answer{body: soap.Created{
		Address: request.To, ID: made.ID, Owner: made.Owner, ClientIP: made.ClientIP,
		WorkingDirectory: made.WorkingDirectory, IdleTimeOut: soap.FormatDuration(made.IdleTimeOut),
		InputStreams: made.InputStreams, OutputStreams: made.OutputStreams,
	}.Body()}
}

// inShell does what a request asks of an open shell.
func (s *Server) inShell(ctx context.Context, host *shell.Host, open *shell.Shell, action Action, request *soap.Request) answer {
	body := request.Body
	switch {
	case action == Delete:
		host.Delete(open)
		return answer{}
	case action == Command && body.CommandLine != nil:
		id, fault := open.Command(body.CommandLine, request.Options)
		return answer{body: soap.Started(id), fault: fault}
	case action == Send && body.Send != nil:
		return answer{body: soap.Sent, fault: open.Send(ctx, body.Send)}
	case action == Receive && body.Receive != nil:
		output, fault := open.Receive(ctx, body.Receive, s.room(request))
		return answer{body: output.Body(), fault: fault}
	case action == Signal && body.Signal != nil:
		return answer{body: soap.Signaled, fault: open.Signal(body.Signal)}
	}
	return faulty(soap.InvalidBody)
}

// room is how much output an answer may carry, encoded.
func (s *Server) room(request *soap.Request) int {
	most := s.current().MaxEnvelopeSize
	if request.MaxEnvelopeSize > 0 {
		most = min(most, request.MaxEnvelopeSize)
	}
	return most - envelopeExtra
}

// pending is the answer to a Receive of a command that has not begun.
func pending(request *soap.Request) answer {
	if request.Body.Receive == nil {
		return faulty(soap.InvalidBody)
	}
	id := strings.ToUpper(request.Body.Receive.Desired.CommandID)
	return answer{body: soap.Output{CommandID: id, State: soap.StatePending}.Body()}
}
