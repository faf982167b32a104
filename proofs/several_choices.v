(* A line of several choices, of which one person influences many: src/privacy/permute_and_flip.proof.md, "Several choices",
   and src/privacy/exponential.proof.md, "Several calls". *)
From Coq Require Import Reals ZArith List Lia Lra Arith.
From Hedgerow Require Import sums law choice account exponential permute_and_flip composition.
Import ListNotations.
Open Scope R_scope.

(* The sum of the widths along a transcript. *)
Fixpoint widths (width : list nat -> Z) (past ys : list nat) : Z :=
  match ys with [] => 0 | y :: ys => width past + widths width (past ++ [y]) ys end.

Lemma spent_on_widths k width past ys :
  spent (fun past => k * IZR (width past)) past ys = k * IZR (widths width past ys).
Proof.
  revert past. induction ys as [|y ys IH]; intros past; cbn [spent widths]; [lra|]. rewrite IH, plus_IZR. ring.
Qed.

Section Several.
  (* Which candidates a choice has, and their scores, follow from the earlier choices; all choices have one scale. *)
  Variables (count : list nat -> nat) (u u' : list nat -> nat -> Z) (width : list nat -> Z) (m : nat).
  Variables (cost num den total : Z).
  Hypotheses (some : forall past, (0 < count past)%nat)
             (moved_by : forall past, has_width (count past) (u past) (u' past) (width past))
             (covered_by : covers cost num den total)
             (in_all : forall ys, length ys = m -> (widths width [] ys <= total)%Z).

  Lemma widths_paid ys : length ys = m -> spent (fun past => scale num den * IZR (width past)) [] ys <= value cost.
  Proof.
    intros E. rewrite spent_on_widths. apply Rle_trans with (2 := covers_cost _ _ _ _ covered_by).
    apply Rmult_le_compat_l; [left; apply (scale_positive _ _ _ _ covered_by)|]. now apply IZR_le, in_all.
  Qed.

  Theorem several_flips_private :
    private (value cost) (run (fun past => permute_and_flip (count past) (scale num den) (u past)) m [])
      (run (fun past => permute_and_flip (count past) (scale num den) (u' past)) m []).
  Proof.
    pose proof (scale_positive _ _ _ _ covered_by) as Hk.
    apply (adaptive_composition Nat.eq_dec) with (cost := fun past => scale num den * IZR (width past)).
    - intros past. now apply permute_and_flip_is_law.
    - intros past. now apply permute_and_flip_is_law.
    - intros past _. split; apply pointwise_within; intros r; apply permute_and_flip_pointwise; auto.
      now apply has_width_sym.
    - exact widths_paid.
  Qed.

  Theorem several_exponential_private :
    private (value cost) (run (fun past => exponential (count past) (scale num den) (u past)) m [])
      (run (fun past => exponential (count past) (scale num den) (u' past)) m []).
  Proof.
    pose proof (scale_positive _ _ _ _ covered_by) as Hk.
    apply (adaptive_composition Nat.eq_dec) with (cost := fun past => scale num den * IZR (width past)).
    - intros past. now apply exponential_is_law.
    - intros past. now apply exponential_is_law.
    - intros past _. split; apply pointwise_within; intros r; apply exponential_pointwise; auto.
      now apply has_width_sym.
    - exact widths_paid.
  Qed.
End Several.
