(* The account's sum, in integers of 2^-40: src/privacy/accountant.proof.md. *)
From Coq Require Import Reals ZArith List Lia Lra Arith Permutation.
From Hedgerow Require Import sums choice.
Import ListNotations.
Open Scope bool_scope.
Open Scope R_scope.

(* owner 0: of any owner's records. *)
Record line := { owner : nat; group : nat; part : nat }.

Definition of_owner (o : nat) (l : line) : bool := (owner l =? o)%nat.
Definition of_group (o g : nat) (l : line) : bool := of_owner o l && (group l =? g)%nat.
Definition of_part (o g p : nat) (l : line) : bool := of_group o g l && (part l =? p)%nat.

Definition largest {A : Type} (f : A -> R) (l : list A) : R := fold_right (fun a m => Rmax (f a) m) 0 l.

Section Lines.
  (* An entry is a line and what it costs: an integer, or the exact number that it was rounded up from. *)
  Context {E : Type} (key : E -> line) (cost : E -> R).

  Definition part_cost (entries : list E) (o g p : nat) : R :=
    sum cost (filter (fun e => of_part o g p (key e)) entries).
  Definition group_cost (entries : list E) (o g : nat) : R :=
    largest (fun e => part_cost entries o g (part (key e))) entries.
  Definition groups (entries : list E) (o : nat) : list nat :=
    nodup Nat.eq_dec (map (fun e => group (key e)) (filter (fun e => of_owner o (key e)) entries)).
  Definition owner_cost (entries : list E) (o : nat) : R := sum (group_cost entries o) (groups entries o).

  (* hr_account, before it saturates. *)
  Definition account (entries : list E) : R :=
    owner_cost entries 0 +
    largest (fun e => if (owner (key e) =? 0)%nat then 0 else owner_cost entries (owner (key e))) entries.
End Lines.

(* ---- Largest ---- *)

Section Largest.
  Context {A : Type}.
  Implicit Types (f g : A -> R) (l : list A).

  Lemma largest_nonneg f l : 0 <= largest f l.
  Proof. induction l as [|a l IH]; cbn; [lra|]. apply Rle_trans with (1 := IH), Rmax_r. Qed.

  Lemma largest_ge f l a : In a l -> f a <= largest f l.
  Proof.
    induction l as [|b l IH]; [easy|]. intros [->|H]; cbn; [apply Rmax_l|].
    apply Rle_trans with (1 := IH H), Rmax_r.
  Qed.

  Lemma largest_le f l b : 0 <= b -> (forall a, In a l -> f a <= b) -> largest f l <= b.
  Proof.
    intros Hb. induction l as [|a l IH]; intros H; cbn; [exact Hb|].
    apply Rmax_lub; [apply H; now left|apply IH; intros; apply H; now right].
  Qed.
End Largest.

(* ---- What one record's lines cost is at most the account ---- *)

Section Account.
  Context {E : Type} (key : E -> line).
  Implicit Types (entries : list E) (cost : E -> R).

  Lemma groups_nodup entries o : NoDup (groups key entries o).
  Proof. apply NoDup_nodup. Qed.

  Lemma groups_in entries o e : In e entries -> owner (key e) = o -> In (group (key e)) (groups key entries o).
  Proof.
    intros He <-. apply nodup_In, in_map_iff. exists e. split; [reflexivity|]. apply filter_In.
    split; [exact He|]. apply Nat.eqb_refl.
  Qed.

  Lemma part_cost_nonneg cost entries o g p :
    (forall e, In e entries -> 0 <= cost e) -> 0 <= part_cost key cost entries o g p.
  Proof. intros H. apply sum_nonneg. intros e He. apply filter_In in He. now apply H. Qed.

  (* A part without lines costs nothing. *)
  Lemma part_below_group cost entries o g p :
    part_cost key cost entries o g p <= group_cost key cost entries o g.
  Proof.
    unfold group_cost. destruct (filter (fun e => of_part o g p (key e)) entries) as [|e l] eqn:Hf.
    - unfold part_cost at 1. rewrite Hf, sum_nil. apply largest_nonneg.
    - assert (He : In e (filter (fun e => of_part o g p (key e)) entries)) by (rewrite Hf; now left).
      apply filter_In in He. destruct He as [He Hp]. unfold of_part in Hp. apply Bool.andb_true_iff in Hp.
      destruct Hp as [_ Hp]. apply Nat.eqb_eq in Hp. rewrite <- Hp at 1.
      now apply (largest_ge (fun e => part_cost key cost entries o g (part (key e)))).
  Qed.

  (* One part of each group of an owner. *)
  Definition in_parts (o : nat) (part_of : nat -> nat) (l : line) : bool :=
    of_owner o l && (part l =? part_of (group l))%nat.

  Lemma parts_below_owner cost entries o part_of :
    sum cost (filter (fun e => in_parts o part_of (key e)) entries) <= owner_cost key cost entries o.
  Proof.
    rewrite (sum_by_key Nat.eq_dec (fun e => group (key e)) _ _ (groups key entries o)).
    - apply sum_le. intros g _. apply Rle_trans with (2 := part_below_group cost entries o g (part_of g)).
      unfold part_cost. rewrite !sum_filter. right. apply sum_ext. intros e _.
      unfold in_parts, of_part, of_group. destruct (Nat.eq_dec (group (key e)) g) as [->|Hne].
      + now rewrite Nat.eqb_refl, Bool.andb_true_r.
      + apply Nat.eqb_neq in Hne as ->. rewrite Bool.andb_false_r. cbn [andb].
        now destruct (of_owner o (key e) && (part (key e) =? part_of (group (key e)))%nat).
    - apply groups_nodup.
    - intros e He. apply filter_In in He. destruct He as [He Hb]. apply Bool.andb_true_iff in Hb.
      destruct Hb as [Ho _]. apply Nat.eqb_eq in Ho. now apply groups_in.
  Qed.

  (* The lines that a record can move: it has one owner, and is in one part of each group of his and of each group
     without an owner. *)
  Definition moved (own : nat) (part_of : nat -> nat -> nat) (l : line) : bool :=
    in_parts 0 (part_of 0%nat) l || (negb (owner l =? 0)%nat && in_parts own (part_of own) l).

  Theorem moved_below_account cost entries own part_of :
    (forall e, In e entries -> 0 <= cost e) ->
    sum cost (filter (fun e => moved own part_of (key e)) entries) <= account key cost entries.
  Proof.
    intros Hc. unfold account.
    apply Rle_trans with
      (sum cost (filter (fun e => in_parts 0 (part_of 0%nat) (key e)) entries) +
       sum cost (filter (fun e => negb (owner (key e) =? 0)%nat && in_parts own (part_of own) (key e)) entries)).
    - rewrite !sum_filter, <- sum_plus. apply sum_le. intros e He. unfold moved. specialize (Hc e He).
      destruct (in_parts 0 (part_of 0%nat) (key e)); cbn [orb]; [|lra].
      destruct (negb (owner (key e) =? 0)%nat && in_parts own (part_of own) (key e)); lra.
    - apply Rplus_le_compat; [apply parts_below_owner|].
      set (mine := fun e => negb (owner (key e) =? 0)%nat && in_parts own (part_of own) (key e)).
      destruct (filter mine entries) as [|e l] eqn:Hf.
      + rewrite sum_nil. apply largest_nonneg.
      + rewrite <- Hf. assert (He : In e (filter mine entries)) by (rewrite Hf; now left).
        apply filter_In in He. destruct He as [He Hm]. unfold mine in Hm. apply Bool.andb_true_iff in Hm.
        destruct Hm as [Hz Hp]. apply Bool.andb_true_iff in Hp. destruct Hp as [Ho _]. apply Nat.eqb_eq in Ho.
        apply Bool.negb_true_iff in Hz.
        apply Rle_trans with (owner_cost key cost entries own).
        * apply Rle_trans with (2 := parts_below_owner cost entries own (part_of own)). rewrite !sum_filter.
          apply sum_le. intros e' He'. unfold mine. specialize (Hc e' He').
          destruct (owner (key e') =? 0)%nat; cbn [negb andb]; [|lra].
          destruct (in_parts own (part_of own) (key e')); lra.
        * pose proof (largest_ge (fun e => if (owner (key e) =? 0)%nat then 0 else owner_cost key cost entries (owner (key e)))
                        entries e He) as H. cbn beta in H. now rewrite Hz, Ho in H.
  Qed.

  (* ---- Rounding ---- *)

  (* Costs that are larger by `more` make the account larger, by the sum of `more` at most. *)
  Section Rounding.
    Variables (cost cost' more : E -> R) (entries : list E).
    Hypotheses (larger : forall e, In e entries -> cost e <= cost' e)
               (by_more : forall e, In e entries -> cost' e <= cost e + more e)
               (more_nonneg : forall e, In e entries -> 0 <= more e).

    Lemma part_larger o g p : part_cost key cost entries o g p <= part_cost key cost' entries o g p.
    Proof. apply sum_le. intros e He. apply filter_In in He. now apply larger. Qed.

    Lemma group_larger o g : group_cost key cost entries o g <= group_cost key cost' entries o g.
    Proof.
      apply largest_le; [apply largest_nonneg|]. intros e He. apply Rle_trans with (1 := part_larger _ _ _).
      apply part_below_group.
    Qed.

    Lemma owner_larger o : owner_cost key cost entries o <= owner_cost key cost' entries o.
    Proof. apply sum_le. intros g _. apply group_larger. Qed.

    Lemma account_larger : account key cost entries <= account key cost' entries.
    Proof.
      apply Rplus_le_compat; [apply owner_larger|]. apply largest_le; [apply largest_nonneg|]. intros e He.
      apply Rle_trans with (if (owner (key e) =? 0)%nat then 0 else owner_cost key cost' entries (owner (key e))).
      - destruct (owner (key e) =? 0)%nat; [lra|apply owner_larger].
      - now apply (largest_ge (fun e => if (owner (key e) =? 0)%nat then 0 else owner_cost key cost' entries (owner (key e)))).
    Qed.

    Definition more_of (b : line -> bool) : R := sum more (filter (fun e => b (key e)) entries).

    Lemma more_of_nonneg b : 0 <= more_of b.
    Proof. apply sum_nonneg. intros e He. apply filter_In in He. now apply more_nonneg. Qed.

    Lemma more_of_le (b c : line -> bool) : (forall l, b l = true -> c l = true) -> more_of b <= more_of c.
    Proof.
      intros H. unfold more_of. rewrite !sum_filter. apply sum_le. intros e He. specialize (more_nonneg e He).
      destruct (b (key e)) eqn:Hb; [rewrite (H _ Hb); lra|]. destruct (c (key e)); lra.
    Qed.

    Lemma group_by_more o g :
      group_cost key cost' entries o g <= group_cost key cost entries o g + more_of (of_group o g).
    Proof.
      apply largest_le.
      - pose proof (more_of_nonneg (of_group o g)).
        pose proof (largest_nonneg (fun e => part_cost key cost entries o g (part (key e))) entries).
        unfold group_cost. lra.
      - intros e _. apply Rle_trans with (part_cost key cost entries o g (part (key e)) + more_of (of_part o g (part (key e)))).
        + unfold part_cost, more_of. rewrite <- sum_plus. apply sum_le. intros e' He'. apply filter_In in He'.
          now apply by_more.
        + apply Rplus_le_compat; [apply part_below_group|]. apply more_of_le. intros l H.
          now apply Bool.andb_true_iff in H.
    Qed.

    Lemma owner_by_more o : owner_cost key cost' entries o <= owner_cost key cost entries o + more_of (of_owner o).
    Proof.
      apply Rle_trans with (sum (fun g => group_cost key cost entries o g + more_of (of_group o g)) (groups key entries o)).
      - apply sum_le. intros g _. apply group_by_more.
      - rewrite sum_plus. apply Rplus_le_compat_l. right. unfold more_of.
        rewrite (sum_by_key Nat.eq_dec (fun e => group (key e)) _ (filter (fun e => of_owner o (key e)) entries) (groups
          key entries o)).
        + apply sum_ext. intros g _. rewrite !sum_filter. apply sum_ext. intros e _. unfold of_group.
          destruct (Nat.eq_dec (group (key e)) g) as [->|Hne]; [now rewrite Nat.eqb_refl, Bool.andb_true_r|].
          apply Nat.eqb_neq in Hne as ->. rewrite Bool.andb_false_r. now destruct (of_owner o (key e)).
        + apply groups_nodup.
        + intros e He. apply filter_In in He. destruct He as [He Ho]. apply Nat.eqb_eq in Ho. now apply groups_in.
    Qed.

    Lemma account_by_more : account key cost' entries <= account key cost entries + sum more entries.
    Proof.
      unfold account.
      apply Rle_trans with ((owner_cost key cost entries 0 + more_of (of_owner 0)) +
        (largest (fun e => if (owner (key e) =? 0)%nat then 0 else owner_cost key cost entries (owner (key e))) entries +
         more_of (fun l => negb (of_owner 0 l)))).
      - apply Rplus_le_compat; [apply owner_by_more|].
        set (f := fun e => if (owner (key e) =? 0)%nat then 0 else owner_cost key cost entries (owner (key e))).
        pose proof (largest_nonneg f entries). pose proof (more_of_nonneg (fun l => negb (of_owner 0 l))).
        apply largest_le; [lra|]. intros e He.
        destruct (owner (key e) =? 0)%nat eqn:Ho; [lra|]. apply Rle_trans with (1 := owner_by_more _).
        apply Rplus_le_compat.
        + pose proof (largest_ge f entries e He) as Hf. unfold f in Hf at 1. now rewrite Ho in Hf.
        + apply more_of_le. intros l Hl. apply Nat.eqb_eq in Hl. unfold of_owner. rewrite Hl. now rewrite Ho.
      - unfold more_of. rewrite !sum_filter.
        enough (sum (fun e => if of_owner 0 (key e) then more e else 0) entries +
                sum (fun e => if negb (of_owner 0 (key e)) then more e else 0) entries = sum more entries) by lra.
        rewrite <- sum_plus. apply sum_ext. intros e _. destruct (of_owner 0 (key e)); cbn; lra.
    Qed.
  End Rounding.
End Account.

(* Rounded up to a multiple of 2^-40: hr_units_up. *)
Definition units_up (x : R) : Z := - Int_part (- (x * unit)).

Lemma units_up_at_least x : x <= value (units_up x).
Proof.
  pose proof unit_positive as Hu. unfold value, units_up. rewrite opp_IZR.
  destruct (base_Int_part (- (x * unit))) as [H _]. apply Rmult_le_reg_r with unit; [exact Hu|].
  replace (- IZR (Int_part (- (x * unit))) / unit * unit) with (- IZR (Int_part (- (x * unit)))) by (field; lra). lra.
Qed.

Lemma units_up_less x : value (units_up x) < x + / unit.
Proof.
  pose proof unit_positive as Hu. unfold value, units_up. rewrite opp_IZR.
  destruct (base_Int_part (- (x * unit))) as [_ H]. apply Rmult_lt_reg_r with unit; [exact Hu|].
  replace (- IZR (Int_part (- (x * unit))) / unit * unit) with (- IZR (Int_part (- (x * unit)))) by (field; lra).
  rewrite Rmult_plus_distr_r, Rinv_l by lra. lra.
Qed.

Lemma sum_lt {A : Type} (f g : A -> R) l : l <> [] -> (forall a, In a l -> f a < g a) -> sum f l < sum g l.
Proof.
  destruct l as [|a l]; [easy|]. intros _ H. rewrite !sum_cons. specialize (H a (or_introl eq_refl)) as Ha.
  assert (sum f l <= sum g l) by (apply sum_le; intros b Hb; left; apply H; now right). lra.
Qed.

(* Costs that are rounded up one by one: the account is never below the exact one, and above it by less than one unit
   for each line. *)
Theorem rounded_account {E : Type} (key : E -> line) (cost : E -> R) (entries : list E) :
  let rounded := account key (fun e => value (units_up (cost e))) entries in
  let exact := account key cost entries in
  exact <= rounded /\ (entries <> [] -> rounded < exact + INR (length entries) * / unit).
Proof.
  intros rounded exact. split.
  - apply account_larger. intros e _. apply units_up_at_least.
  - intros Hne. apply Rle_lt_trans with (exact + sum (fun e => value (units_up (cost e)) - cost e) entries).
    + apply account_by_more; intros e _; [lra|]. pose proof (units_up_at_least (cost e)). lra.
    + apply Rplus_lt_compat_l. rewrite <- sum_const. apply sum_lt; [exact Hne|]. intros e _.
      pose proof (units_up_less (cost e)). lra.
Qed.
